"""Operator Unique."""

import numpy as np
import pytest
from opgraft.testing import run_node


def unsorted(x, axis):
    y, first, inverse, counts = np.unique(x, return_index=True, return_inverse=True, return_counts=True, axis=axis)
    order = np.argsort(first)
    place = np.argsort(order)
    return np.take(y, order, 0 if axis is None else axis), first[order], place[inverse.reshape(-1)], counts[order]


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int8, np.int64, np.uint16, np.bool_, np.float16])
@pytest.mark.parametrize("axis", [None, 0, 1, -1])
def test_unique(dtype, axis):
    x = np.random.default_rng(0).integers(0, 2 if axis is not None else 5, (4, 3, 2)).astype(dtype)
    attrs = {} if axis is None else {"axis": axis}
    got = run_node("Unique", [x], attrs | {"sorted": 1}, outputs=4)
    want = np.unique(x, return_index=True, return_inverse=True, return_counts=True, axis=axis)
    for g, w in zip(got, want, strict=True):
        np.testing.assert_array_equal(g, w.reshape(g.shape))
    for g, w in zip(run_node("Unique", [x], attrs | {"sorted": 0}, outputs=4), unsorted(x, axis), strict=True):
        np.testing.assert_array_equal(g, w.reshape(g.shape))


def test_unique_of_nothing_and_of_strings():
    got = run_node("Unique", [np.zeros(0, np.float32)], outputs=4)
    assert [x.shape for x in got] == [(0,)] * 4
    words = np.array(["b", "a", "b"], dtype=object)
    y, first, inverse, counts = run_node("Unique", [words], outputs=4)
    assert (y.tolist(), first.tolist(), inverse.tolist(), counts.tolist()) == (["a", "b"], [1, 0], [1, 0, 1], [1, 2])
