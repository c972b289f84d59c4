"""Operator Or."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op
from random_more import check_broadcast


def test_or():
    check_op(
        "Or",
        shapes=[
            [(2, 3), (2, 3)],
            [(13, 17), (17,)],
            [(2, 3, 5), (3, 1)],
            [(4, 1), (1, 5)],
            [(0, 3), (1, 3)],
            [(), (7,)],
            [(2, 3, 4, 5), (2, 1, 1, 5)],
            [(), ()],
        ],
        dtypes=["bool"],
        reference=lambda a, b: np.logical_or(a, b),
    )


@given(st.data())
def test_random(data):
    check_broadcast(data, "Or", np.logical_or)
