"""Operator OneHot."""

import numpy as np
import opgraft
import pytest
from opgraft.testing import run_node


def reference(indices, depth, values, axis):
    at = np.where(indices < 0, indices + depth, indices).astype(np.int64)
    hot = np.arange(depth) == at[..., None]
    return np.moveaxis(np.where(hot, values[1], values[0]), -1, axis)


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
