"""Operator Erf."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op
from random_cases import NUMBERS, check_unary


def test_erf():
    reference = np.vectorize(math.erf, otypes=[np.float64])
    shapes = [(2, 3), (13, 17), (127,), (1, 4, 1), ()]
    check_op("Erf", shapes=shapes, dtypes=["f32", "f64", "f16"], reference=lambda x: np.asarray(reference(x)))


@given(st.data())
def test_random(data):
    def reference(x):
        return np.vectorize(math.erf, otypes=[np.float64])(x).astype(x.dtype)  # of integers in old opsets

    check_unary(data, "Erf", reference, NUMBERS)
