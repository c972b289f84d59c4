"""Operator Reciprocal."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op
from random_more import check_pointwise


def test_reciprocal():
    check_op(
        "Reciprocal",
        shapes=[(2, 3), (13, 17), (127,), (1, 4, 1), (0, 5), ()],
        dtypes=["f32", "f64", "f16"],
        reference=lambda x: 1 / x,
    )


@given(st.data())
def test_random(data):
    check_pointwise(data, "Reciprocal", np.reciprocal)
