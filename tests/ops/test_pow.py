"""Operator Pow."""

import numpy as np
from opgraft.testing import check_op


def test_pow():
    rng = np.random.default_rng(0)
    for shape in [(2, 3), (13, 17), ()]:
        for dtype in (np.float32, np.float64):
            x = (np.abs(rng.normal(1, 1, shape)) + 0.1).astype(dtype)
            for exponent in (2, 3, 0.5, -1.5, 0):
                check_op("Pow", inputs=[x, dtype(exponent)], reference=np.power)
            check_op("Pow", inputs=[x, rng.normal(0, 2, shape).astype(dtype)], reference=np.power)


def test_pow_of_mixed_types():
    x = np.array([1, 2, 3], np.float32)
    check_op("Pow", inputs=[x, np.array([3, 2, 1], np.int64)], reference=np.power)
    base = np.array([-2, 3, 7], np.int32)
    check_op("Pow", inputs=[base, np.array([3, 2, 0], np.int32)], reference=np.power)
    check_op(
        "Pow", inputs=[base, np.array([2.0, 2.0, 1.0], np.float32)], reference=lambda a, b: (a**b).astype(np.int32)
    )


def test_pow_of_special_values():
    x = np.array([-np.inf, -4, -0.0, 0, 0.25, np.inf, np.nan], np.float32)
    for exponent in (-1, 0, 0.5, 1, 2, 3, -0.5, np.inf):
        with np.errstate(all="ignore"):
            want = np.power(x.astype(np.float64), np.full(7, exponent))  # a scalar 0.5 would be NumPy's square root
        check_op("Pow", inputs=[x, np.float32(exponent)], reference=lambda x, y, want=want: want)
    check_op("Pow", inputs=[np.float32(2), x[1:5]], reference=np.power)
