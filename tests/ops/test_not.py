"""Operator Not."""

import numpy as np
from opgraft.testing import check_op


def test_not():
    check_op(
        "Not",
        shapes=[(2, 3), (13, 17), (127,), (1, 4, 1), (0, 5), ()],
        dtypes=["bool"],
        reference=lambda x: np.logical_not(x),
    )
