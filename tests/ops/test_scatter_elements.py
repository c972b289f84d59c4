"""Operators ScatterElements and Scatter."""

import numpy as np
import opgraft
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import run_node
from random_cases import check_case, draw_axis, draw_shape, draw_values
from random_more import SMALL, draw_whole, types_of

REDUCE = {"none": lambda a, b: b, "add": lambda a, b: a + b, "mul": lambda a, b: a * b, "min": min, "max": max}


def reference(data, indices, updates, axis, reduction):
    result = data.copy()
    for at in np.ndindex(*indices.shape):
        to = list(at)
        to[axis] = indices[at]
        result[tuple(to)] = REDUCE[reduction](result[tuple(to)], updates[at])
    return result


@pytest.mark.parametrize("reduction", REDUCE)
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.int64, np.uint8, np.float16])
def test_scatter_elements(reduction, dtype):
    rng = np.random.default_rng(0)
    for shape, axis in (((5,), 0), ((4, 3), 1), ((4, 3), -2), ((2, 3, 4), 1)):
        data = rng.integers(1, 5, shape).astype(dtype)
        indices = rng.integers(-shape[axis], shape[axis], tuple(min(2, n) for n in shape))
        updates = rng.integers(1, 5, indices.shape).astype(dtype)
        for kind in (np.int64, np.int32):
            (got,) = run_node("ScatterElements", [data, indices.astype(kind), updates], {"axis": axis, "reduction": reduction})
            np.testing.assert_array_equal(got, reference(data, indices, updates, axis, reduction))


def test_strings_are_replaced():
    words = np.array(["a", "b", "c"], dtype=object)
    (got,) = run_node("ScatterElements", [words, np.array([2, 0]), np.array(["x", "y"], dtype=object)])
    assert got.tolist() == ["y", "b", "x"]


def test_wrong_indices():
    data = np.zeros((2, 3), np.float32)
    with pytest.raises(opgraft.Error, match="index 2 is out of range for axis 0 of size 2"):
        run_node("ScatterElements", [data, np.array([[2]]), np.ones((1, 1), np.float32)])
    with pytest.raises(opgraft.Error, match="must have the same dims"):
        run_node("ScatterElements", [data, np.array([[1]]), np.ones((1, 2), np.float32)])
    with pytest.raises(opgraft.Error, match='reduction is "avg"'):
        run_node("ScatterElements", [data, np.array([[1]]), np.ones((1, 1), np.float32)], {"reduction": "avg"})


@given(st.data())
def test_random(data):
    dtype = data.draw(st.sampled_from([t for t in types_of("ScatterElements") if t != np.bool_]), label="dtype")
    shape = draw_shape(data, 1, 3, SMALL, min_size=1)
    axis, reduction = draw_axis(data, len(shape)), data.draw(st.sampled_from(list(REDUCE)))
    counts = [data.draw(st.integers(0, min(size, 5))) for size in shape]
    indices = draw_values(data, counts, data.draw(st.sampled_from([np.int32, np.int64])), -shape[axis], shape[axis] - 1)
    x, updates = (draw_whole(data, s, dtype, low=1, high=2) for s in (shape, counts))
    check_case(data, "ScatterElements", [x, indices, updates], {"axis": axis, "reduction": reduction}, reference)
