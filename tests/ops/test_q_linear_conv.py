"""Operator QLinearConv."""

import numpy as np
import pytest
from opgraft.testing import run_node


def convolve(x, w, pads, strides, dilations, group):
    n, m = x.shape[0], w.shape[0]
    x = np.pad(x, [(0, 0), (0, 0), (pads[0], pads[2]), (pads[1], pads[3])])
    kh, kw = w.shape[2:]
    oh = (x.shape[2] - dilations[0] * (kh - 1) - 1) // strides[0] + 1
    ow = (x.shape[3] - dilations[1] * (kw - 1) - 1) // strides[1] + 1
    y = np.zeros((n, m, oh, ow), np.int64)
    per, channels = m // group, w.shape[1]
    for o in range(m):
        part = x[:, o // per * channels : (o // per + 1) * channels]
        for i in range(oh):
            for j in range(ow):
                rows = slice(i * strides[0], i * strides[0] + dilations[0] * (kh - 1) + 1, dilations[0])
                columns = slice(j * strides[1], j * strides[1] + dilations[1] * (kw - 1) + 1, dilations[1])
                y[:, o, i, j] = (part[:, :, rows, columns] * w[o]).sum((1, 2, 3))
    return y


CASES = [
    ((1, 2, 5, 6), (3, 2, 3, 2), [0, 0, 0, 0], [1, 1], [1, 1], 1),
    ((2, 4, 7, 7), (6, 2, 3, 3), [1, 0, 2, 1], [2, 1], [1, 2], 2),
    ((1, 3, 4, 4), (3, 1, 2, 2), [0, 1, 0, 0], [1, 1], [1, 1], 3),
]


@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize("dtype", [np.uint8, np.int8])
def test_q_linear_conv(case, dtype):
    x_shape, w_shape, pads, strides, dilations, group = case
    rng = np.random.default_rng(0)
    info = np.iinfo(dtype)
    x = rng.integers(info.min, info.max + 1, x_shape).astype(dtype)
    w = rng.integers(-128, 128, w_shape).astype(np.int8)
    attrs = {"pads": pads, "strides": strides, "dilations": dilations, "group": group}
    bias = rng.integers(-500, 500, w_shape[0]).astype(np.int32)
    for w_scale in (np.array(0.03, np.float32), rng.uniform(0.01, 0.05, w_shape[0]).astype(np.float32)):
        w_zero = np.zeros(w_scale.shape, np.int8)
        one = [np.array(v, np.float32) for v in (0.02, 0.5)]
        inputs = [x, one[0], np.array(5, dtype), w, w_scale, w_zero, one[1], np.array(9, dtype), bias]
        (got,) = run_node("QLinearConv", inputs, attrs)
        sums = convolve(x.astype(np.int64) - 5, w.astype(np.int64), pads, strides, dilations, group) + bias.reshape(-1, 1, 1)
        exact = sums * (0.02 * w_scale.astype(np.float64).reshape(-1, 1, 1) / 0.5)
        want = np.clip(np.rint(exact) + 9, info.min, info.max)
        close_to_half = np.abs(exact - np.floor(exact) - 0.5) < 1e-3
        np.testing.assert_array_equal(np.where(close_to_half, want, got), want)
