"""Operator Range."""

import numpy as np
from opgraft.testing import check_op


def test_range():
    for start, limit, delta in [(0, 5, 1), (10, 0, -3), (2, 2, 1), (5, 1, 1), (1, 8, 2)]:
        for dtype in (np.float32, np.float64, np.int16, np.int32, np.int64):
            inputs = [np.array(v, dtype) for v in (start, limit, delta)]
            check_op("Range", inputs=inputs, reference=lambda a, b, c, d=dtype: np.arange(a, b, c).astype(d))
    inputs = [np.array(v, np.float32) for v in (0.0, 1.0, 0.3)]
    check_op("Range", inputs=inputs, reference=lambda a, b, c: np.arange(0, 1, np.float32(0.3)).astype(np.float32))
