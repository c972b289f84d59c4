"""Operator And."""

import numpy as np
from opgraft.testing import check_op


def test_and():
    check_op(
        "And",
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
        dtypes=["bool"],
        reference=lambda a, b: np.logical_and(a, b),
    )
