"""Operator SwiGLU."""

import numpy as np
from opgraft.testing import check_op


def test_swi_glu():
    check_op(
        "SwiGLU", shapes=[[(3, 5), (3, 5)], [(0,), (0,)]], dtypes=["f32", "f64", "f16"], attrs={"alpha": [1.0, 0.5]},
        reference=lambda a, b, alpha: a / (1 + np.exp(-alpha * a)) * b,
    )
