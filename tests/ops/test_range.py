"""Operator Range."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op
from random_more import check_moved, draw_opset, types_of


def test_range():
    for start, limit, delta in [(0, 5, 1), (10, 0, -3), (2, 2, 1), (5, 1, 1), (1, 8, 2)]:
        for dtype in (np.float32, np.float64, np.int16, np.int32, np.int64):
            inputs = [np.array(v, dtype) for v in (start, limit, delta)]
            check_op("Range", inputs=inputs, reference=lambda a, b, c, d=dtype: np.arange(a, b, c).astype(d))
    inputs = [np.array(v, np.float32) for v in (0.0, 1.0, 0.3)]
    check_op("Range", inputs=inputs, reference=lambda a, b, c: np.arange(0, 1, np.float32(0.3)).astype(np.float32))


@given(st.data())
def test_random(data):
    opset = draw_opset(data, "Range")
    dtype = np.dtype(data.draw(st.sampled_from(types_of("Range", opset)), label="dtype"))
    start, limit = (data.draw(st.integers(-40, 40)) for _ in range(2))
    delta = data.draw(st.integers(-9, 9).filter(bool))
    count, unit = max(-((start - limit) // delta), 0), 1 if dtype.kind == "i" else 0.25
    want = ((start + np.arange(count) * delta) * unit).astype(dtype)
    check_moved(data, "Range", [np.array(v * unit).astype(dtype) for v in (start, limit, delta)], None, lambda *_: want, opset=opset)
