"""Operator TensorScatter."""

import numpy as np
import opgraft
import pytest
from opgraft.testing import run_node


@pytest.mark.parametrize("mode", ["linear", "circular"])
def test_tensor_scatter(mode):
    rng = np.random.default_rng(0)
    cache = rng.normal(size=(2, 3, 5, 4)).astype(np.float32)
    update = rng.normal(size=(2, 3, 2, 4)).astype(np.float32)
    starts = np.array([1, 3 if mode == "linear" else 4])
    (got,) = run_node("TensorScatter", [cache, update, starts], {"mode": mode})
    want = cache.copy()
    for b in range(2):
        for k in range(2):
            want[b, :, (starts[b] + k) % 5] = update[b, :, k]
    np.testing.assert_array_equal(got, want)
    want = cache.copy()
    want[:, :, :2] = update
    np.testing.assert_array_equal(run_node("TensorScatter", [cache, update])[0], want)


def test_writes_must_fit():
    with pytest.raises(opgraft.Error, match="write index 4 with 2 entries leaves an axis of size 5"):
        run_node("TensorScatter", [np.zeros((1, 5, 2), np.float32), np.zeros((1, 2, 2), np.float32), np.array([4])])
