"""Operator BitwiseNot."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op
from random_cases import INTEGERS, check_unary


def test_bitwise_not():
    check_op("BitwiseNot", shapes=[(3, 5), (0,), ()], dtypes=["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"], reference=np.invert)


@given(st.data())
def test_random(data):
    check_unary(data, "BitwiseNot", np.invert, INTEGERS)
