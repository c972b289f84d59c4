"""Operator Exp."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op
from random_cases import check_unary


def test_exp():
    check_op(
        "Exp",
        shapes=[(2, 3), (13, 17), (127,), (1, 4, 1), (0, 5), ()],
        dtypes=["f32", "f64", "f16"],
        reference=lambda x: np.exp(x),
    )


@given(st.data())
def test_random(data):
    check_unary(data, "Exp", np.exp)
