"""Operator OneHot."""

import numpy as np
import opgraft
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import run_node
from random_cases import check_case, draw_shape, draw_values
from random_more import SMALL, draw_any, draw_opset, exact, types_of


def reference(indices, depth, values, axis):
    at = np.where(indices < 0, indices + depth, indices).astype(np.int64)
    hot = np.arange(depth) == at[..., None]
    return np.moveaxis(np.asarray(values)[hot.astype(int)], -1, axis)


def test_one_hot():
    for index_type in (np.int64, np.int32, np.uint8, np.float32):
        for value_type in (np.float32, np.int64, np.float16, np.bool_):
            indices = np.array([[0, 3, 2], [1, 0, 7]]).astype(index_type)
            if np.dtype(index_type).kind != "u":
                indices[0, 0] = -1
            values = np.array([0, 1]).astype(value_type)
            for axis in (-1, 0, 1):
                (got,) = run_node("OneHot", [indices, np.array(4, np.int64), values], {"axis": axis})
                np.testing.assert_array_equal(got, reference(indices, 4, values, axis))
    words = np.array(["off", "on"], dtype=object)
    assert run_node("OneHot", [np.array([1]), np.array([2]), words])[0].tolist() == [["off", "on"]]


def test_wrong_depth_and_values():
    two = np.array([0.0, 1.0], np.float32)
    with pytest.raises(opgraft.Error, match="depth is -3"):
        run_node("OneHot", [np.array([1]), np.array(-3), two])
    with pytest.raises(opgraft.Error, match="values must be"):
        run_node("OneHot", [np.array([1]), np.array(3), two[:1]])


@given(st.data())
def test_random(data):
    opset = draw_opset(data, "OneHot")
    index_type, depth_type = (data.draw(st.sampled_from(types_of("OneHot", opset, name)), label=name) for name in ("T1", "T2"))
    value_type = data.draw(st.sampled_from(types_of("OneHot", opset, "T3", every=True)), label="T3")
    shape, depth = draw_shape(data, 0, 3, SMALL), data.draw(st.integers(1, 9))
    unsigned = np.dtype(index_type).kind == "u" or (opset or 28) < 11
    indices = draw_values(data, shape, np.int32, 0 if unsigned else -depth - 2, depth + 2).astype(index_type)
    axis = data.draw(st.integers(-1 if opset and opset < 11 else -len(shape) - 1, len(shape)))
    inputs = [indices, np.array(depth).astype(depth_type), draw_any(data, (2,), value_type)]
    want = reference(indices.astype(np.float64), depth, inputs[2], axis)
    check_case(data, "OneHot", inputs, {"axis": axis}, lambda *_, **__: [], opset=opset, check=lambda got, _: exact(got, [want]))
