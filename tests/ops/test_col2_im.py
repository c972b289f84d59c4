"""Operator Col2Im."""

import numpy as np
import opgraft
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import run_node
from random_cases import NUMBERS, check_case, draw_values, draw_windows


def reference(x, image, block, strides, pads, dilations):
    n, image, block = len(image), tuple(image), tuple(block)
    counts = [(image[i] + pads[i] + pads[n + i] - dilations[i] * (block[i] - 1) - 1) // strides[i] + 1 for i in range(n)]
    batch, channels = x.shape[0], x.shape[1] // int(np.prod(block))
    x = x.reshape(batch, channels, *block, *counts)
    y = np.zeros((batch, channels, *(image[i] + pads[i] + pads[n + i] for i in range(n))), x.dtype)
    for tap in np.ndindex(*block):
        for at in np.ndindex(*counts):
            where = tuple(at[i] * strides[i] + tap[i] * dilations[i] for i in range(n))
            y[(..., *where)] += x[(..., *tap, *at)]
    return y[(..., *(slice(pads[i], pads[i] + image[i]) for i in range(n)))]


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32])
def test_col2_im(dtype):
    for image, block, strides, pads, dilations in (
        ([5, 5], [2, 3], [1, 1], [0, 0, 0, 0], [1, 1]),
        ([6, 7], [2, 2], [2, 1], [1, 0, 0, 1], [1, 2]),
        ([7], [3], [2], [1, 1], [1]),
        ([3, 4, 3], [2, 1, 2], [1, 1, 1], [0] * 6, [1, 1, 1]),
    ):
        n = len(image)
        blocks = int(np.prod([(image[i] + pads[i] + pads[n + i] - dilations[i] * (block[i] - 1) - 1) // strides[i] + 1 for i in range(n)]))
        x = np.random.default_rng(0).integers(0, 9, (2, 3 * int(np.prod(block)), blocks)).astype(dtype)
        attrs = {"strides": strides, "pads": pads, "dilations": dilations}
        (got,) = run_node("Col2Im", [x, np.array(image), np.array(block)], attrs)
        np.testing.assert_array_equal(got, reference(x, image, block, strides, pads, dilations))


def test_wrong_sizes():
    x = np.zeros((1, 4, 5), np.float32)
    with pytest.raises(opgraft.Error, match=r"input \[1,4,5\] must be \[N, C \* 4, 4\]"):
        run_node("Col2Im", [x, np.array([3, 3]), np.array([2, 2])])
    with pytest.raises(opgraft.Error, match="out of range"):
        run_node("Col2Im", [x, np.array([3, 3]), np.array([2, 2])], {"strides": [0, 1]})


@given(st.data())
def test_random(data):
    n = data.draw(st.integers(1, 3))
    image, attrs = draw_windows(data, n)
    block = attrs.pop("kernel_shape")
    given = {"strides": [1] * n, "dilations": [1] * n, "pads": [0] * 2 * n} | attrs
    counts = [
        (image[i] + given["pads"][i] + given["pads"][n + i] - given["dilations"][i] * (block[i] - 1) - 1) // given["strides"][i] + 1
        for i in range(n)
    ]
    shape = (data.draw(st.integers(0, 2)), data.draw(st.integers(1, 3)) * int(np.prod(block)), int(np.prod(counts)))
    x = draw_values(data, shape, data.draw(st.sampled_from(NUMBERS)), special=False)
    check_case(data, "Col2Im", [x, np.array(image), np.array(block)], attrs, lambda x, *sizes, **_: reference(x, *sizes, **given))
