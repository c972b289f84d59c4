"""Operator Round."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op
from random_more import check_pointwise


def test_round():
    check_op(
        "Round",
        shapes=[(2, 3), (13, 17), (127,), (1, 4, 1), (0, 5), ()],
        dtypes=["f32", "f64", "f16"],
        reference=lambda x: np.round(x),
    )


def test_round_at_the_edges():
    x = np.array([np.inf, -np.inf, np.nan, 0.0, -0.0, 1e-30, 80.0, -80.0], np.float32)
    check_op("Round", inputs=[x], reference=lambda x: np.round(x))


@given(st.data())
def test_random(data):
    check_pointwise(data, "Round", np.rint)
