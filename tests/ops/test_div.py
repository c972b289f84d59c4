"""Operator Div."""

import numpy as np
from opgraft.testing import check_op, run_node


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
