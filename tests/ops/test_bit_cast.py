"""Operator BitCast."""

import numpy as np
import opgraft
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opgraft import _arrays
from opgraft.testing import run_node
from random_cases import NUMBERS, check_case, draw_shape, draw_values


def test_bit_cast():
    x = np.array([[1.5, -2.0, np.inf], [0, 1e-40, np.nan]], np.float32)
    for code, dtype in ((6, np.int32), (12, np.uint32)):
        np.testing.assert_array_equal(run_node("BitCast", [x], {"to": code})[0], x.view(dtype))
    np.testing.assert_array_equal(run_node("BitCast", [np.zeros((0, 2), np.int64)], {"to": 11})[0], np.zeros((0, 2)))


def test_sizes_must_be_equal():
    with pytest.raises(opgraft.Error, match="float and int64 have elements of different size"):
        run_node("BitCast", [np.ones(2, np.float32)], {"to": 7})


@given(st.data())
def test_random(data):
    source = np.dtype(data.draw(st.sampled_from(NUMBERS)))
    target = np.dtype(data.draw(st.sampled_from([d for d in NUMBERS if np.dtype(d).itemsize == source.itemsize])))
    bits = f"u{source.itemsize}"
    x = draw_values(data, draw_shape(data), bits, low=0, high=np.iinfo(bits).max)
    attrs = {"to": _arrays.dtype_code(target)}

    def check(got, _):
        assert got[0].dtype == target
        np.testing.assert_array_equal(got[0].view(bits), x)

    check_case(data, "BitCast", [x.view(source)], attrs, lambda x, to: x, check=check)
