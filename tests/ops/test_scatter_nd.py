"""Operator ScatterND."""

import numpy as np
import opgraft
import pytest
from opgraft.testing import run_node

REDUCE = {"none": lambda a, b: b, "add": np.add, "mul": np.multiply, "min": np.minimum, "max": np.maximum}


@pytest.mark.parametrize("reduction", REDUCE)
@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.float16, np.bool_])
def test_scatter_nd(reduction, dtype):
    if dtype == np.bool_ and reduction in ("add", "mul"):
        return  # the specification does not say what these are for bool
    rng = np.random.default_rng(0)
    for shape, index_shape, depth in (((6,), (3,), 1), ((4, 3), (2, 2), 2), ((4, 3, 2), (3,), 1), ((2, 3), (1,), 0)):
        data = rng.integers(0, 2 if dtype == np.bool_ else 5, shape).astype(dtype)
        indices = np.stack([rng.integers(-n, n, index_shape) for n in shape[:depth]], -1) if depth else np.zeros((*index_shape, 0), np.int64)
        updates = rng.integers(0, 2 if dtype == np.bool_ else 5, (*index_shape, *shape[depth:])).astype(dtype)
        want = data.copy()
        for at in np.ndindex(*index_shape):
            to = tuple(indices[at])
            want[to] = REDUCE[reduction](want[to], updates[at])
        (got,) = run_node("ScatterND", [data, indices, updates], {"reduction": reduction})
        np.testing.assert_array_equal(got, want)


def test_wrong_arguments():
    data = np.zeros((2, 3), np.float32)
    with pytest.raises(opgraft.Error, match="index 5 is out of range for axis 0 of size 2"):
        run_node("ScatterND", [data, np.array([[5, 0]]), np.ones(1, np.float32)])
    with pytest.raises(opgraft.Error, match=r"updates \[2\] must be \[1\]"):
        run_node("ScatterND", [data, np.array([[0, 0]]), np.ones(2, np.float32)])
    with pytest.raises(opgraft.Error, match="indices name 3 axes, data has 2"):
        run_node("ScatterND", [data, np.array([[0, 0, 0]]), np.ones(1, np.float32)])
