"""Operator EyeLike."""

import numpy as np
import opgraft
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opgraft import _arrays
from opgraft.testing import compare, run_node
from random_cases import INTEGERS, WHOLE_BYTES, check_case, draw_array, draw_attrs, draw_opset, types_of


def test_eye_like():
    for code, dtype in ((1, np.float32), (7, np.int64), (9, np.bool_), (10, np.float16), (11, np.float64), (2, np.uint8)):
        for shape in ((3, 4), (4, 2), (0, 3)):
            for k in (-9, -1, 0, 2, 9):
                (got,) = run_node("EyeLike", [np.zeros(shape, np.int32)], {"dtype": code, "k": k})
                np.testing.assert_array_equal(got, np.eye(*shape, k, dtype=dtype))
                assert got.dtype == dtype


def test_input_must_be_a_matrix():
    with pytest.raises(opgraft.Error, match="input must be a matrix, it has 1 axes"):
        run_node("EyeLike", [np.zeros(3, np.float32)])


@given(st.data())
def test_random(data):
    opset = draw_opset(data, "EyeLike")
    x = draw_array(data, [np.bool_, *INTEGERS, np.float32], min_rank=2, max_rank=2)
    dtype = np.dtype(data.draw(st.sampled_from(types_of("EyeLike", opset, WHOLE_BYTES))))
    attrs = draw_attrs(data, dtype=[_arrays.dtype_code(dtype)], k=[*range(-9, 10), 2**62, -(2**63)])
    want = np.eye(*x.shape, max(-99, min(99, attrs.get("k", 0)))).astype(dtype if "dtype" in attrs else x.dtype)
    check_case(data, "EyeLike", [x], attrs, lambda x, **_: x, opset=opset, check=lambda got, _: compare(got[0], want))
