"""Operator ThresholdedRelu."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op
from random_more import check_pointwise, draw_number


def test_thresholded_relu():
    check_op(
        "ThresholdedRelu", shapes=[(3, 5), (0,), ()], dtypes=["f32", "f64", "f16"], attrs={"alpha": [1.0, -0.5]},
        reference=lambda x, alpha: np.where(x > alpha, x, 0),
    )


@given(st.data())
def test_random(data):
    check_pointwise(data, "ThresholdedRelu", lambda x, alpha: np.where(x > alpha, x, 0), {"alpha": draw_number(data)})
