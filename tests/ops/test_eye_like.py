"""Operator EyeLike."""

import numpy as np
import opgraft
import pytest
from opgraft.testing import run_node


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
