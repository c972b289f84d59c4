"""Operator Unique."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import run_node
from random_cases import check_case, draw_array
from random_more import draw_opset, types_of


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


@given(st.data())
def test_random(data):
    opset = draw_opset(data, "Unique")
    x = draw_array(data, types_of("Unique", opset), min_rank=1, low=0, high=1)
    axis, ordered = data.draw(st.sampled_from([None, *range(-x.ndim, x.ndim)])), data.draw(st.integers(0, 1))

    def of(x, **_):
        return np.unique(x, return_index=True, return_inverse=True, return_counts=True, axis=axis) if ordered else unsorted(x, axis)

    def check(got, want):
        for g, w in zip(got, want, strict=True):
            np.testing.assert_array_equal(g.astype(np.float64).reshape(np.shape(w) if g.ndim == 1 else g.shape), np.asarray(w, np.float64))

    x = x if min(x.shape) else x.reshape(-1)
    axis = axis if x.ndim > 1 else None
    check_case(data, "Unique", [np.rint(x) if np.dtype(x.dtype).kind not in "biu" else x], {"sorted": ordered} | ({} if axis is None else {"axis": axis}), of, outputs=4, opset=opset, check=check)
