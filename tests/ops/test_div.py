"""Operator Div."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op, run_node
from random_cases import NUMBERS, check_case, draw_broadcast_shapes, draw_opset, draw_values, types_of


def test_div():
    check_op(
        "Div",
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
        dtypes=["f32", "f64", "f16"],
        reference=lambda a, b: a / b,
    )


def test_div_of_integers_truncates():
    a = np.array([7, -7, 7, -7, 0, np.iinfo(np.int32).min], np.int32)
    b = np.array([2, 2, -2, -2, 3, -1], np.int32)
    want = np.array([3, -3, -3, 3, 0, np.iinfo(np.int32).min], np.int32)
    check_op("Div", inputs=[a, b], reference=lambda a, b: want)


def test_div_by_zero_of_integers_does_not_end_the_process():
    run_node("Div", [np.array([1, 2], np.int64), np.array([0, 1], np.int64)])


@given(st.data())
def test_random(data):
    def reference(a, b):
        if a.dtype.kind == "f":
            return a / b
        quotient = a // b
        return quotient + ((quotient * b != a) & ((a < 0) != (b < 0))).astype(a.dtype)

    opset = draw_opset(data, "Div", since=7)
    dtype = np.dtype(data.draw(st.sampled_from(types_of("Div", opset, NUMBERS))))
    a, b = (draw_values(data, shape, dtype) for shape in draw_broadcast_shapes(data, 2))
    if dtype.kind in "iu":
        b = np.where(b == 0, dtype.type(1), b)  # nothing says what else becomes of it
    check_case(data, "Div", [a, b], None, reference, opset=opset)
