"""Operator Neg."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op
from random_more import check_pointwise


def test_neg():
    check_op(
        "Neg",
        shapes=[(2, 3), (13, 17), (127,), (1, 4, 1), (0, 5), ()],
        dtypes=["f32", "f64", "f16", "i32", "i64", "i8"],
        reference=lambda x: -x,
    )


def test_neg_at_the_edges():
    x = np.array([np.inf, -np.inf, np.nan, 0.0, -0.0, 1e-30, 80.0, -80.0], np.float32)
    check_op("Neg", inputs=[x], reference=lambda x: -x)


@given(st.data())
def test_random(data):
    check_pointwise(data, "Neg", np.negative)
