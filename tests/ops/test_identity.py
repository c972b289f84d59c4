"""Operator Identity."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op
from random_cases import WHOLE_BYTES, check_unary


def test_identity():
    check_op(
        "Identity",
        shapes=[(2, 3), (13, 17), (127,), (1, 4, 1), (0, 5), ()],
        dtypes=["f32", "f64", "f16", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "bool"],
        reference=lambda x: x,
    )
    check_op("Identity", inputs=[np.array(["a", "bc"], object)], reference=lambda x: x)


@given(st.data())
def test_random(data):
    check_unary(data, "Identity", lambda x: x, WHOLE_BYTES)
