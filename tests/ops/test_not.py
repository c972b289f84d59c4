"""Operator Not."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op
from random_more import check_pointwise


def test_not():
    check_op(
        "Not",
        shapes=[(2, 3), (13, 17), (127,), (1, 4, 1), (0, 5), ()],
        dtypes=["bool"],
        reference=lambda x: np.logical_not(x),
    )


@given(st.data())
def test_random(data):
    check_pointwise(data, "Not", np.logical_not)
