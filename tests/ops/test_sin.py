"""Operator Sin."""

import numpy as np
from opgraft.testing import check_op


def test_sin():
    check_op(
        "Sin",
        shapes=[(2, 3), (13, 17), (127,), (1, 4, 1), (0, 5), ()],
        dtypes=["f32", "f64", "f16"],
        reference=lambda x: np.sin(x),
    )
