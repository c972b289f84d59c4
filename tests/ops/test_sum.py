"""Operator Sum."""

import functools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op
from random_more import check_broadcast


def test_sum():
    shapes = [[(2, 3), (3,), (1, 1)], [(4,)], [(13, 17), (13, 17)], [(0, 2), (2,)], [(), ()]]
    check_op("Sum", shapes=shapes, dtypes=["f32", "f64", "f16"], reference=lambda *xs: functools.reduce(np.add, xs))


@given(st.data())
def test_random(data):
    check_broadcast(data, "Sum", lambda *xs: functools.reduce(np.add, xs), oldest=8, least=1, most=4, whole=True)
