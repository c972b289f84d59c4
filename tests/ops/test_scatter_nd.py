"""Operator ScatterND."""

import numpy as np
import opgraft
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import run_node
from random_cases import check_case, draw_shape, draw_values
from random_more import SMALL, draw_whole, types_of

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


@given(st.data())
def test_random(data):
    dtype = data.draw(st.sampled_from([t for t in types_of("ScatterND") if t != np.bool_]), label="dtype")
    shape = draw_shape(data, 1, 4, SMALL, min_size=1)
    depth, counts = data.draw(st.integers(0, len(shape))), draw_shape(data, 0, 2, [0, 1, 2, 3])
    indices = np.stack([draw_values(data, counts, np.int64, -n, n - 1) for n in shape[:depth]], -1) if depth else np.zeros((*counts, 0), np.int64)
    x, updates = (draw_whole(data, s, dtype, low=1, high=2) for s in (shape, (*counts, *shape[depth:])))

    def reference(x, indices, updates, reduction):
        y = x.copy()
        for at in np.ndindex(*counts):
            y[tuple(indices[at])] = REDUCE[reduction](y[tuple(indices[at])], updates[at])
        return y

    check_case(data, "ScatterND", [x, indices, updates], {"reduction": data.draw(st.sampled_from(list(REDUCE)))}, reference)
