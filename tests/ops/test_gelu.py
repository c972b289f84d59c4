"""Operator Gelu."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op
from random_cases import check_unary, draw_attrs


def test_gelu():
    erf = np.vectorize(math.erf, otypes=[np.float64])

    def reference(x, approximate):
        if approximate == "tanh":
            return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))
        return 0.5 * x * (1 + erf(x / np.sqrt(2)))

    shapes, attrs = [(2, 3), (13, 17), ()], {"approximate": ["none", "tanh"]}
    check_op("Gelu", shapes=shapes, dtypes=["f32", "f64", "f16"], attrs=attrs, reference=reference)


@given(st.data())
def test_random(data):
    def reference(x, approximate="none"):
        if approximate == "tanh":
            return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))
        return 0.5 * x * (1 + np.vectorize(math.erf, otypes=[np.float64])(x / np.sqrt(2)))

    check_unary(data, "Gelu", reference, attrs=draw_attrs(data, approximate=["none", "tanh"]))
