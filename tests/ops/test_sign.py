"""Operator Sign."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op
from random_more import check_pointwise


def test_sign():
    check_op(
        "Sign",
        shapes=[(2, 3), (13, 17), (127,), (1, 4, 1), (0, 5), ()],
        dtypes=["f32", "f64", "f16", "i32", "i64", "i8"],
        reference=lambda x: np.sign(x),
    )


def test_sign_at_the_edges():
    x = np.array([np.inf, -np.inf, np.nan, 0.0, -0.0, 1e-30, 80.0, -80.0], np.float32)
    check_op("Sign", inputs=[x], reference=lambda x: np.sign(x))


@given(st.data())
def test_random(data):
    check_pointwise(data, "Sign", np.sign)
