"""Operator HardSigmoid."""

import numpy as np
from opgraft.testing import check_op


def test_hard_sigmoid():
    attrs = {"alpha": [0.2, 0.5], "beta": [0.5, 0.1]}
    check_op(
        "HardSigmoid",
        shapes=[(2, 3), (13, 17), (127,), (1, 4, 1), (0, 5), ()],
        dtypes=["f32", "f64", "f16"],
        attrs=attrs,
        reference=lambda x, alpha, beta: np.clip(alpha * x + beta, 0, 1),
    )
