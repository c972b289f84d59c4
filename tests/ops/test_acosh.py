"""Operator Acosh."""

import numpy as np
from opgraft.testing import check_op


def test_acosh():
    rng = np.random.default_rng(0)
    for dtype in (np.float32, np.float64, np.float16):
        for shape in ((3, 5), (), (0, 2), (40,)):
            x = rng.normal(size=shape)
            x = np.asarray(np.abs(x) + 1).astype(dtype)
            check_op("Acosh", inputs=[x], reference=lambda x: np.arccosh(x))
