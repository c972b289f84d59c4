"""Operator Reshape."""

import numpy as np
import opgraft
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op
from random_more import check_moved, draw_moved, draw_opset


def test_reshape():
    x = np.arange(24).astype(np.float32).reshape(2, 3, 4)
    for to in [(6, 4), (-1,), (0, -1), (2, 0, 2, 2), (24,), (1, 2, 1, -1), (3, 8)]:
        want = x.reshape([x.shape[i] if d == 0 else d for i, d in enumerate(to)])
        check_op("Reshape", inputs=[x, np.array(to, np.int64)], reference=lambda x, to, w=want: w)


def test_reshape_with_zero_dims():
    x = np.zeros((0, 3), np.float32)
    check_op(
        "Reshape",
        inputs=[x, np.array([3, 0], np.int64)],
        attrs={"allowzero": [1]},
        reference=lambda x, to, allowzero: x.reshape(3, 0),
    )


def test_reshape_that_does_not_fit():
    with pytest.raises(opgraft.Error, match="cannot have the shape"):
        check_op("Reshape", inputs=[np.zeros((2, 3), np.float32), np.array([4], np.int64)], reference=lambda x, to: x)


@given(st.data())
def test_random(data):
    opset = draw_opset(data, "Reshape", 5)
    x = draw_moved(data, "Reshape", opset)
    dims = data.draw(st.permutations([*x.shape, *[1] * data.draw(st.integers(0, 2))]))
    if len(dims) > 1 and data.draw(st.booleans()):
        dims = [dims[0] * dims[1], *dims[2:]]
    to, attrs = list(dims), {}
    if 0 in to and ((opset or 28) >= 14):
        attrs["allowzero"] = 1
    elif 0 in to:
        dims = to = list(x.shape)
    else:
        to = [0 if i < x.ndim and d == x.shape[i] and data.draw(st.booleans()) else d for i, d in enumerate(to)]
        if to and data.draw(st.booleans()):
            to[data.draw(st.integers(0, len(to) - 1))] = -1
    check_moved(data, "Reshape", [x, np.array(to, np.int64)], attrs, lambda x, *_, **__: x.reshape(dims), opset=opset)
