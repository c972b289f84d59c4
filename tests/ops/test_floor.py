"""Operator Floor."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op
from random_cases import check_unary


def test_floor():
    check_op(
        "Floor",
        shapes=[(2, 3), (13, 17), (127,), (1, 4, 1), (0, 5), ()],
        dtypes=["f32", "f64", "f16"],
        reference=lambda x: np.floor(x),
    )


def test_floor_at_the_edges():
    x = np.array([np.inf, -np.inf, np.nan, 0.0, -0.0, 1e-30, 80.0, -80.0], np.float32)
    check_op("Floor", inputs=[x], reference=lambda x: np.floor(x))


@given(st.data())
def test_random(data):
    check_unary(data, "Floor", np.floor)
