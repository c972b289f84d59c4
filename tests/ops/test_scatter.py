"""Operator Scatter, the deprecated name of ScatterElements."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import run_node
from random_cases import draw_axis
from random_more import check_moved, draw_any, draw_moved


def test_scatter():
    data = np.arange(6, dtype=np.float32).reshape(2, 3)
    for opset in (9, 10, 11):
        (got,) = run_node("Scatter", [data, np.array([[2, 0]]), np.array([[7, 8]], np.float32)], {"axis": 1}, opset=opset)
        np.testing.assert_array_equal(got, [[8, 1, 7], [3, 4, 5]])


@given(st.data())
def test_random(data):
    x = draw_moved(data, "Scatter", 9, min_rank=1, max_rank=3, min_size=1)
    axis, shape = draw_axis(data, x.ndim), [data.draw(st.integers(0, size)) for size in x.shape]
    order = np.argsort(np.random.default_rng(x.size).random((*shape[:axis % x.ndim], x.shape[axis], *shape[axis % x.ndim + 1 :])), axis)
    indices = np.take(order, range(shape[axis]), axis)  # all different along the axis

    def reference(x, indices, updates, axis):
        y = x.copy()
        for at in np.ndindex(*indices.shape):
            to = list(at)
            to[axis] = indices[at]
            y[tuple(to)] = updates[at]
        return y

    check_moved(data, "Scatter", [x, indices, draw_any(data, shape, x.dtype)], {"axis": axis}, reference, opset=data.draw(st.sampled_from([9, 11, None])))
