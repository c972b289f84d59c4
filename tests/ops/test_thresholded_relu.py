"""Operator ThresholdedRelu."""

import numpy as np
from opgraft.testing import check_op


def test_thresholded_relu():
    check_op(
        "ThresholdedRelu", shapes=[(3, 5), (0,), ()], dtypes=["f32", "f64", "f16"], attrs={"alpha": [1.0, -0.5]},
        reference=lambda x, alpha: np.where(x > alpha, x, 0),
    )
