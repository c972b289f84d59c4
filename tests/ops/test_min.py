"""Operator Min."""

import functools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op
from random_more import check_broadcast


def test_min():
    check_op(
        "Min",
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
        dtypes=["f32", "f64", "f16", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"],
        reference=lambda a, b: np.minimum(a, b),
    )


def test_min_of_three_and_of_one():
    shapes = [[(2, 3), (3,), (1, 1)], [(4,)]]
    check_op("Min", shapes=shapes, dtypes=["f32"], reference=lambda *xs: functools.reduce(np.minimum, xs))


def test_min_with_nan():
    a, b = np.array([np.nan, 1, 2], np.float32), np.array([1, np.nan, 3], np.float32)
    check_op("Min", inputs=[a, b], reference=np.minimum)


@given(st.data())
def test_random(data):
    check_broadcast(data, "Min", lambda *xs: functools.reduce(np.minimum, xs), oldest=8, least=1, most=4)
