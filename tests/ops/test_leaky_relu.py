"""Operator LeakyRelu."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op
from random_cases import check_unary, draw_attrs


def test_leaky_relu():
    attrs = {"alpha": [0.01, 0.3]}
    check_op(
        "LeakyRelu",
        shapes=[(2, 3), (13, 17), (127,), (1, 4, 1), (0, 5), ()],
        dtypes=["f32", "f64", "f16"],
        attrs=attrs,
        reference=lambda x, alpha: np.where(x < 0, alpha * x, x),
    )


@given(st.data())
def test_random(data):
    check_unary(data, "LeakyRelu", lambda x, alpha=0.01: np.where(x < 0, alpha * x, x), attrs=draw_attrs(data, alpha=(-2.0, 2.0)))
