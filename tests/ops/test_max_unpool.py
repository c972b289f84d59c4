"""Operator MaxUnpool."""

import numpy as np
import opgraft
import pytest
from opgraft.testing import run_node


def test_max_unpool_undoes_max_pool():
    rng = np.random.default_rng(0)
    for dtype in (np.float32, np.float64):
        x = rng.normal(size=(2, 3, 6, 8)).astype(dtype)
        pooled, where = run_node("MaxPool", [x], {"kernel_shape": [2, 2], "strides": [2, 2]}, outputs=2)
        plane = np.arange(48).reshape(6, 8)
        # MaxPool counts through the whole tensor, MaxUnpool through all of its output.
        (got,) = run_node("MaxUnpool", [pooled, where], {"kernel_shape": [2, 2], "strides": [2, 2]})
        want = np.zeros_like(x)
        for n in range(2):
            for c in range(3):
                for i in range(3):
                    for j in range(4):
                        block = x[n, c, 2 * i : 2 * i + 2, 2 * j : 2 * j + 2]
                        at = plane[2 * i : 2 * i + 2, 2 * j : 2 * j + 2].reshape(-1)[block.argmax()]
                        want[n, c].reshape(-1)[at] = block.max()
        np.testing.assert_array_equal(got, want)


def test_output_shape_and_wrong_indices():
    x, where = np.array([[[[1, 2], [3, 4]]]], np.float32), np.array([[[[5, 7], [13, 15]]]])
    (got,) = run_node("MaxUnpool", [x, where, np.array([1, 1, 5, 5])], {"kernel_shape": [2, 2], "strides": [2, 2]})
    want = np.zeros((5, 5))
    want[1, 1], want[1, 3], want[3, 1], want[3, 3] = 1, 2, 3, 4
    np.testing.assert_array_equal(got[0, 0], want)
    with pytest.raises(opgraft.Error, match=r"index 99 is not in \[0, 16\)"):
        run_node("MaxUnpool", [x, where * 0 + 99], {"kernel_shape": [2, 2], "strides": [2, 2]})
