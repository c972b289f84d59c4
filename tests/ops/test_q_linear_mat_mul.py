"""Operator QLinearMatMul."""

import numpy as np
import pytest
from opgraft.testing import run_node


@pytest.mark.parametrize("dtype", [np.uint8, np.int8])
def test_q_linear_mat_mul(dtype):
    rng = np.random.default_rng(0)
    info = np.iinfo(dtype)
    for a_shape, b_shape in (((3, 5), (5, 4)), ((2, 3, 5), (2, 5, 4))):
        a = rng.integers(info.min, info.max + 1, a_shape).astype(dtype)
        b = rng.integers(info.min, info.max + 1, b_shape).astype(dtype)
        scales = [np.array(v, np.float32) for v in (0.02, 0.03, 0.11)]
        zeros = [np.array(v, dtype) for v in (3, 5, 7)]
        (got,) = run_node("QLinearMatMul", [a, scales[0], zeros[0], b, scales[1], zeros[1], scales[2], zeros[2]])
        exact = (a.astype(np.int64) - 3) @ (b.astype(np.int64) - 5) * (float(scales[0]) * float(scales[1]) / float(scales[2]))
        want = np.clip(np.rint(exact) + 7, info.min, info.max)
        assert np.abs(got.astype(int) - want).max() <= (np.abs(exact - np.floor(exact) - 0.5) < 1e-4).max()
