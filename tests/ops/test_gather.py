"""Operator Gather."""

import numpy as np
import opgraft
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op, run_node
from random_cases import ANY, check_case, draw_array, draw_axis, draw_opset, draw_shape, draw_values, types_of


def test_gather():
    for shape, axis, indices in [
        ((5, 3), 0, [0, 4, -1]),
        ((5, 3), 1, [[2, 0], [-3, 1]]),
        ((2, 3, 4), -1, [3]),
        ((6,), 0, 2),
        ((3, 2), 0, []),
    ]:
        for dtype in (np.float32, np.int64, np.bool_, np.float16):
            for kind in (np.int64, np.int32):
                x = np.arange(np.prod(shape)).astype(dtype).reshape(shape)
                inputs = [x, np.array(indices, kind)]
                check_op(
                    "Gather", inputs=inputs, attrs={"axis": [axis]}, reference=lambda x, i, axis: np.take(x, i, axis)
                )


def test_gather_out_of_range():
    with pytest.raises(opgraft.Error, match="index 5 is out of range for axis 0 of size 5"):
        run_node("Gather", [np.zeros((5, 2), np.float32), np.array([5], np.int64)])


@given(st.data())
def test_random(data):
    opset = draw_opset(data, "Gather")
    x = draw_array(data, types_of("Gather", opset, ANY), min_rank=1)
    axis = draw_axis(data, x.ndim)
    size = x.shape[axis]
    shape = draw_shape(data, max_rank=2, sizes=[0, 1, 2, 5, 17]) if size else (3, 0)
    low = -size if opset is None or opset >= 11 else 0
    indices = draw_values(data, shape, data.draw(st.sampled_from([np.int32, np.int64])), low=low, high=max(size - 1, low))
    check_case(data, "Gather", [x, indices], {"axis": axis}, lambda x, i, axis: np.take(x, i, axis), opset=opset)
