"""Operator BitwiseOr."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op
from random_cases import INTEGERS, check_binary


def test_bitwise_or():
    check_op(
        "BitwiseOr", shapes=[[(3, 5), (3, 5)], [(3, 5), (5,)], [[2, 1, 4], [3, 1]], [(0, 2), (2,)]],
        dtypes=["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"], reference=np.bitwise_or,
    )


@given(st.data())
def test_random(data):
    check_binary(data, "BitwiseOr", np.bitwise_or, INTEGERS)
