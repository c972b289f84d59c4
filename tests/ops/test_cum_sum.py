"""Operator CumSum."""

import numpy as np
import opgraft
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op, run_node
from random_cases import NUMBERS, check_case, draw_array, draw_attrs, draw_axis, draw_opset, types_of


def reference(x, axis, exclusive, reverse):
    axis = int(axis)
    if reverse:
        x = np.flip(x, axis)
    result = np.cumsum(x, axis, dtype=x.dtype)
    if exclusive:
        result = np.roll(result, 1, axis)
        first = [slice(None)] * x.ndim
        first[axis] = slice(0, 1)
        result[tuple(first)] = 0
    return np.flip(result, axis) if reverse else result


def test_cum_sum():
    for dtype in (np.float32, np.float64, np.int32, np.int64, np.uint32, np.uint64):
        x = np.random.default_rng(0).integers(1, 4, (2, 3, 4)).astype(dtype)
        for axis in (0, 1, -1):
            check_op(
                "CumSum", inputs=[x, np.array(axis, np.int64)], attrs={"exclusive": [0, 1], "reverse": [0, 1]}, reference=reference
            )


def test_axis_out_of_range():
    with pytest.raises(opgraft.Error, match="axis"):
        run_node("CumSum", [np.ones((2, 2), np.float32), np.array(2, np.int64)])


@given(st.data())
def test_random(data):
    opset = draw_opset(data, "CumSum")
    x = draw_array(data, types_of("CumSum", opset, NUMBERS), min_rank=1, low=0.5 if data.draw(st.booleans()) else -1.5, high=1.5)
    axis = np.array(draw_axis(data, x.ndim), data.draw(st.sampled_from([np.int32, np.int64])))
    attrs = draw_attrs(data, exclusive=[0, 1], reverse=[0, 1])
    check_case(data, "CumSum", [x, axis], attrs, lambda *arrays, **attrs: reference(*arrays, **{"exclusive": 0, "reverse": 0, **attrs}), opset=opset)
