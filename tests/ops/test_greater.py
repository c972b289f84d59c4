"""Operator Greater."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op
from random_cases import check_binary


def test_greater():
    check_op(
        "Greater",
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
        reference=lambda a, b: np.greater(a, b),
    )


def test_greater_with_nan():
    a = np.array([np.nan, 1, np.inf, np.nan], np.float32)
    check_op(
        "Greater", inputs=[a, np.array([np.nan, 1, np.inf, 0], np.float32)], reference=lambda a, b: np.greater(a, b)
    )


@given(st.data())
def test_random(data):
    check_binary(data, "Greater", np.greater)
