"""RMSNormalization: axes, broadcast scales."""

import numpy as np
import pytest
from opgraft.testing import check_op


def rms_normalization(x, scale, axis=-1, epsilon=1e-5):
    axes = tuple(range(axis % x.ndim, x.ndim))
    return x / np.sqrt((x**2).mean(axis=axes, keepdims=True) + epsilon) * scale


@pytest.mark.parametrize(
    "shapes,axis",
    [
        ([(3, 5, 17), (17,)], -1),
        ([(3, 5, 17), (5, 17)], 1),
        ([(3, 5, 17), (17,)], 1),
        ([(2, 4), (2, 4)], 0),
        ([(0, 5), (5,)], -1),
    ],
)
def test_values(shapes, axis):
    check_op(
        "RMSNormalization",
        shapes=[shapes],
        dtypes=["f32", "f64", "f16"],
        attrs={"axis": [axis]},
        reference=rms_normalization,
    )
