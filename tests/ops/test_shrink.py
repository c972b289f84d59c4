"""Operator Shrink."""

import numpy as np
from opgraft.testing import check_op


def test_shrink():
    def reference(x, bias, lambd):
        return np.where(x < -lambd, x + bias, np.where(x > lambd, x - bias, 0)).astype(x.dtype)

    check_op("Shrink", shapes=[(3, 5), (0,)], dtypes=["f32", "f64"], attrs={"bias": [0.0, 1.5], "lambd": [0.5, 1.5]}, reference=reference)
    check_op("Shrink", shapes=[(3, 5)], dtypes=["i8", "i32", "i64"], attrs={"bias": [0.0, 1.0], "lambd": [2.0]}, reference=reference)
