"""Operator BitwiseNot."""

import numpy as np
from opgraft.testing import check_op


def test_bitwise_not():
    check_op("BitwiseNot", shapes=[(3, 5), (0,), ()], dtypes=["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"], reference=np.invert)
