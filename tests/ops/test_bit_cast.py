"""Operator BitCast."""

import numpy as np
import opgraft
import pytest
from opgraft.testing import run_node


def test_bit_cast():
    x = np.array([[1.5, -2.0, np.inf], [0, 1e-40, np.nan]], np.float32)
    for code, dtype in ((6, np.int32), (12, np.uint32)):
        np.testing.assert_array_equal(run_node("BitCast", [x], {"to": code})[0], x.view(dtype))
    np.testing.assert_array_equal(run_node("BitCast", [np.zeros((0, 2), np.int64)], {"to": 11})[0], np.zeros((0, 2)))


def test_sizes_must_be_equal():
    with pytest.raises(opgraft.Error, match="float and int64 have elements of different size"):
        run_node("BitCast", [np.ones(2, np.float32)], {"to": 7})
