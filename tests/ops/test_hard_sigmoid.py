"""Operator HardSigmoid."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op
from random_cases import check_unary, draw_attrs


def test_hard_sigmoid():
    attrs = {"alpha": [0.2, 0.5], "beta": [0.5, 0.1]}
    check_op(
        "HardSigmoid",
        shapes=[(2, 3), (13, 17), (127,), (1, 4, 1), (0, 5), ()],
        dtypes=["f32", "f64", "f16"],
        attrs=attrs,
        reference=lambda x, alpha, beta: np.clip(alpha * x + beta, 0, 1),
    )


@given(st.data())
def test_random(data):
    attrs = draw_attrs(data, alpha=(0.125, 2.0), beta=(-1.0, 1.0))
    check_unary(data, "HardSigmoid", lambda x, alpha=0.2, beta=0.5: np.clip(alpha * x + beta, 0, 1), attrs=attrs)
