"""Operator Compress."""

import numpy as np
import opgraft
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import run_node
from random_cases import ANY, check_case, draw_array, draw_axis, draw_opset, draw_values, types_of


def test_compress():
    for dtype in (np.float32, np.int16, np.bool_):
        x = np.random.default_rng(0).integers(0, 9, (3, 4, 2)).astype(dtype)
        for axis in (0, 1, -1, None):
            for condition in ([True, False, True], [False], []):
                condition = np.array(condition[: x.shape[axis] if axis is not None else 3], bool)
                (got,) = run_node("Compress", [x, condition], {} if axis is None else {"axis": axis})
                np.testing.assert_array_equal(got, np.compress(condition, x, axis))
    words = np.array(["a", "b", "c"], dtype=object)
    assert run_node("Compress", [words, np.array([False, True, True])], {"axis": 0})[0].tolist() == ["b", "c"]


def test_axis_out_of_range():
    with pytest.raises(opgraft.Error, match="axis"):
        run_node("Compress", [np.ones((2, 2), np.float32), np.array([True])], {"axis": 2})


@given(st.data())
def test_random(data):
    opset = draw_opset(data, "Compress")
    x = draw_array(data, types_of("Compress", opset, ANY), min_rank=1)
    attrs = {"axis": draw_axis(data, x.ndim)} if data.draw(st.booleans()) else {}
    condition = draw_values(data, (data.draw(st.integers(0, x.shape[attrs["axis"]] if attrs else x.size)),), np.bool_)
    check_case(data, "Compress", [x, condition], attrs, lambda x, c, axis=None: np.compress(c, x, axis), opset=opset)
