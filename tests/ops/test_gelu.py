"""Operator Gelu."""

import math

import numpy as np
from opgraft.testing import check_op


def test_gelu():
    erf = np.vectorize(math.erf, otypes=[np.float64])

    def reference(x, approximate):
        if approximate == "tanh":
            return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))
        return 0.5 * x * (1 + erf(x / np.sqrt(2)))

    shapes, attrs = [(2, 3), (13, 17), ()], {"approximate": ["none", "tanh"]}
    check_op("Gelu", shapes=shapes, dtypes=["f32", "f64", "f16"], attrs=attrs, reference=reference)
