"""Operator QLinearMul of com.microsoft, against onnxruntime."""

import numpy as np
from opgraft.testing import run_node
from quantised_cases import check, output, quantised


def test_broadcasting():
    for a, b in (((2, 3, 4), (2, 3, 4)), ((5, 1, 17), (33, 1)), ((7,), ()), ((0, 3), (1, 3))):
        check("QLinearMul", lambda rng, dtype, a=a, b=b: [*quantised(rng, a, dtype), *quantised(rng, b, dtype), *output(rng, dtype)])


def test_no_zero_points():
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 255, (4, 9), np.uint8), rng.integers(0, 255, 9, np.uint8)
    inputs = [a, np.float32(0.5), None, b, np.float32(0.25), None, np.float32(2)]
    (got,) = run_node("QLinearMul", inputs, domain="com.microsoft")
    np.testing.assert_array_equal(got, np.clip(np.rint((a * 0.5 * b * 0.25) / 2), 0, 255).astype(np.uint8))
