"""Operator Sum."""

import functools

import numpy as np
from opgraft.testing import check_op


def test_sum():
    shapes = [[(2, 3), (3,), (1, 1)], [(4,)], [(13, 17), (13, 17)], [(0, 2), (2,)], [(), ()]]
    check_op("Sum", shapes=shapes, dtypes=["f32", "f64", "f16"], reference=lambda *xs: functools.reduce(np.add, xs))
