"""Operator Max."""

import functools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op
from random_more import check_broadcast


def test_max():
    check_op(
        "Max",
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
        reference=lambda a, b: np.maximum(a, b),
    )


def test_max_of_three_and_of_one():
    shapes = [[(2, 3), (3,), (1, 1)], [(4,)]]
    check_op("Max", shapes=shapes, dtypes=["f32"], reference=lambda *xs: functools.reduce(np.maximum, xs))


def test_max_with_nan():
    a, b = np.array([np.nan, 1, 2], np.float32), np.array([1, np.nan, 3], np.float32)
    check_op("Max", inputs=[a, b], reference=np.maximum)


@given(st.data())
def test_random(data):
    check_broadcast(data, "Max", lambda *xs: functools.reduce(np.maximum, xs), oldest=8, least=1, most=4)
