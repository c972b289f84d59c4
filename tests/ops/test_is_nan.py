"""Operator IsNaN."""

import numpy as np
from opgraft.testing import check_op


def test_is_nan():
    for dtype in (np.float32, np.float64, np.float16):
        x = np.array([[np.nan, 1], [np.inf, -np.nan]], dtype)
        check_op("IsNaN", inputs=[x], reference=np.isnan)
    check_op("IsNaN", shapes=[(0, 3), ()], dtypes=["f32"], reference=np.isnan)
