"""Operator Celu."""

import numpy as np
from opgraft.testing import check_op


def test_celu():
    check_op(
        "Celu", shapes=[(3, 5), (0,), ()], dtypes=["f32", "f64", "f16"], attrs={"alpha": [1.0, 2.5, 0.3]},
        reference=lambda x, alpha: np.maximum(x, 0) + np.minimum(0, alpha * np.expm1(np.minimum(x, 0) / alpha)),
    )
