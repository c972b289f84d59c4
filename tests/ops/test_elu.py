"""Operator Elu."""

import numpy as np
from opgraft.testing import check_op


def test_elu():
    attrs = {"alpha": [1.0, 0.5]}
    check_op(
        "Elu",
        shapes=[(2, 3), (13, 17), (127,), (1, 4, 1), (0, 5), ()],
        dtypes=["f32", "f64", "f16"],
        attrs=attrs,
        reference=lambda x, alpha: np.where(x < 0, alpha * np.expm1(np.minimum(x, 0)), x),
    )
