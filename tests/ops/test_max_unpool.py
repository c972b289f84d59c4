"""Operator MaxUnpool."""

import numpy as np
import opgraft
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import run_node
from random_cases import check_case, draw_values
from random_more import draw_opset, types_of


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


@given(st.data())
def test_random(data):
    n = data.draw(st.integers(1, 3), label="spatial axes")
    kernel, strides = ([data.draw(st.integers(1, 3)) for _ in range(n)] for _ in range(2))
    shape = (data.draw(st.integers(0, 2)), data.draw(st.integers(1, 3)), *(data.draw(st.integers(1, 5)) for _ in range(n)))
    inner = (*shape[:2], *((size - 1) * s + k for size, s, k in zip(shape[2:], strides, kernel)))
    opset = draw_opset(data, "MaxUnpool")
    x = draw_values(data, shape, data.draw(st.sampled_from(types_of("MaxUnpool", opset, "T1"))))
    where = np.random.default_rng(x.size).permutation(int(np.prod(inner)))[: x.size].reshape(shape)
    outer = data.draw(st.sampled_from([None, np.array([*inner[:2], *(size + 2 for size in inner[2:])])]))

    def reference(x, where, outer=None, **_):
        y = np.zeros(inner)
        y.reshape(-1)[where.reshape(-1)] = x.reshape(-1)
        return y if outer is None else np.pad(y, [(0, 0)] * 2 + [(0, 2)] * n)

    check_case(data, "MaxUnpool", [x, where, outer], {"kernel_shape": kernel, "strides": strides}, reference, opset=opset)
