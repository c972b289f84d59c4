"""Operator Hardmax."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op, run_node
from random_cases import ALL_FLOATS, check_case, draw_array, draw_axis, draw_opset, types_of


def reference(x, axis):
    where = np.expand_dims(x.argmax(axis), axis)
    result = np.zeros_like(x)
    np.put_along_axis(result, where, 1, axis)
    return result


def test_hardmax():
    check_op("Hardmax", shapes=[(3, 4, 5)], dtypes=["f32", "f64", "f16"], attrs={"axis": [-1, 0, 1]}, reference=reference)
    check_op("Hardmax", inputs=[np.array([[2, 2, 1], [0, 3, 3]], np.float32)], attrs={"axis": [-1]}, reference=reference)


def test_before_opset_13_the_rest_was_one_row():
    x = np.random.default_rng(0).normal(size=(2, 3, 4)).astype(np.float32)
    (got,) = run_node("Hardmax", [x], {"axis": 1}, opset=11)
    np.testing.assert_array_equal(got, reference(x.reshape(2, 12), 1).reshape(x.shape))


@given(st.data())
def test_random(data):
    opset = draw_opset(data, "Hardmax")
    x = draw_array(data, types_of("Hardmax", opset, ALL_FLOATS), min_rank=1, min_size=1, special=False)
    axis = draw_axis(data, x.ndim)
    if opset and opset < 13:
        axis %= x.ndim  # everything from there on is one row
        rows = x.reshape(int(np.prod(x.shape[:axis])), -1)
        return check_case(data, "Hardmax", [x], {"axis": axis}, lambda x, axis: reference(rows, 1).reshape(x.shape), opset=opset)
    check_case(data, "Hardmax", [x], {"axis": axis}, reference, opset=opset)
