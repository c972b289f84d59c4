"""Operator GlobalLpPool."""

import numpy as np
from opgraft.testing import check_op


def test_global_lp_pool():
    check_op(
        "GlobalLpPool", shapes=[(2, 3, 4, 5), (1, 2, 7), (2, 1, 3, 2, 2)], dtypes=["f32", "f64"], attrs={"p": [1, 2, 3]},
        reference=lambda x, p: (np.abs(x) ** p).sum(tuple(range(2, x.ndim)), keepdims=True) ** (1 / p),
    )
