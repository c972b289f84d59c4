"""Operator HardSwish."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op
from random_cases import check_unary


def test_hard_swish():
    check_op(
        "HardSwish",
        shapes=[(2, 3), (13, 17), (127,), (1, 4, 1), (0, 5), ()],
        dtypes=["f32", "f64", "f16"],
        reference=lambda x: x * np.clip(x / 6 + 0.5, 0, 1),
    )


@given(st.data())
def test_random(data):
    check_unary(data, "HardSwish", lambda x: x * np.clip(x / 6 + 0.5, 0, 1))
