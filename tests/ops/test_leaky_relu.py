"""Operator LeakyRelu."""

import numpy as np
from opgraft.testing import check_op


def test_leaky_relu():
    attrs = {"alpha": [0.01, 0.3]}
    check_op(
        "LeakyRelu",
        shapes=[(2, 3), (13, 17), (127,), (1, 4, 1), (0, 5), ()],
        dtypes=["f32", "f64", "f16"],
        attrs=attrs,
        reference=lambda x, alpha: np.where(x < 0, alpha * x, x),
    )
