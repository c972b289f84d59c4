"""Operator TensorScatter."""

import numpy as np
import opgraft
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import run_node
from random_cases import draw_shape, draw_values
from random_more import SMALL, check_moved, draw_any, types_of


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
    with pytest.raises(opgraft.Error, match="write index 9223372036854775807"):
        run_node("TensorScatter", [np.zeros((1, 5, 2), np.float32), np.zeros((1, 2, 2), np.float32), np.array([2**63 - 1])])


@given(st.data())
def test_random(data):
    dtype = data.draw(st.sampled_from(types_of("TensorScatter", every=True)), label="dtype")
    shape = draw_shape(data, 2, 4, SMALL, min_size=1)
    axis = data.draw(st.integers(1, len(shape) - 1))
    size, mode = shape[axis], data.draw(st.sampled_from(["linear", "circular"]))
    count = data.draw(st.integers(0, size))
    starts = draw_values(data, (shape[0],), np.int64, 0, size - count if mode == "linear" else size - 1) if data.draw(st.booleans()) else None
    cache, update = draw_any(data, shape, dtype), draw_any(data, (*shape[:axis], count, *shape[axis + 1 :]), dtype)

    def reference(cache, update, starts=None, **_):
        y, u = np.moveaxis(cache.copy(), axis, 1), np.moveaxis(update, axis, 1)
        for b in range(shape[0]):
            y[b, ((0 if starts is None else starts[b]) + np.arange(count)) % size] = u[b]
        return np.moveaxis(y, 1, axis)

    check_moved(data, "TensorScatter", [cache, update, starts], {"mode": mode, "axis": data.draw(st.sampled_from([axis, axis - len(shape)]))}, reference)
