"""Operator Mul."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op
from random_more import check_broadcast


def test_mul():
    check_op(
        "Mul",
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
        reference=lambda a, b: a * b,
    )


def test_mul_in_old_opsets():
    for opset in (7, 13, 14):
        check_op("Mul", shapes=[[(2, 3), (3,)]], dtypes=["f32"], opset=opset, reference=lambda a, b: a * b)


@given(st.data())
def test_random(data):
    check_broadcast(data, "Mul", np.multiply)
