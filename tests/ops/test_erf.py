"""Operator Erf."""

import math

import numpy as np
from opgraft.testing import check_op


def test_erf():
    reference = np.vectorize(math.erf, otypes=[np.float64])
    shapes = [(2, 3), (13, 17), (127,), (1, 4, 1), ()]
    check_op("Erf", shapes=shapes, dtypes=["f32", "f64", "f16"], reference=lambda x: np.asarray(reference(x)))
