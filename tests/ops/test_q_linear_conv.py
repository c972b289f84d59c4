"""Operator QLinearConv."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import run_node
from random_cases import check_case, draw_values
from random_more import exact


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


@given(st.data())
def test_random(data):
    group, per, channels = (data.draw(st.integers(1, 3), label="channels") for _ in range(3))
    pads, strides, dilations = ([data.draw(st.integers(low, 2)) for _ in range(count)] for low, count in ((0, 4), (1, 2), (1, 2)))
    kernel = [data.draw(st.integers(1, 3)) for _ in range(2)]
    sizes = [data.draw(st.integers(d * (k - 1) + 1, 9)) for d, k in zip(dilations, kernel)]
    kinds = [data.draw(st.sampled_from([np.uint8, np.int8])) for _ in range(3)]
    x = draw_values(data, (data.draw(st.integers(0, 2)), group * channels, *sizes), kinds[0], 0, 99)
    w = draw_values(data, (group * per, channels, *kernel), kinds[1], 0, 99)
    by_channel = data.draw(st.booleans())
    w_scale = np.array(2.0 ** draw_values(data, (group * per,) if by_channel else (), np.int32, -9, -6), np.float32)  # exact products
    w_zero = draw_values(data, (group * per,) if by_channel else (), kinds[1], 0, 9)
    bias = draw_values(data, (group * per,), np.int32, -99, 99) if data.draw(st.booleans()) else None
    limits, scale = np.iinfo(kinds[2]), np.array(0.5, np.float32)

    def reference(x, xs, xz, w, ws, wz, ys, yz, bias=None, **_):
        w = w.astype(np.int64) - wz.astype(np.int64).reshape(-1, 1, 1, 1)
        sums = convolve(x.astype(np.int64) - int(xz), w, pads, strides, dilations, group) + (0 if bias is None else bias.reshape(-1, 1, 1))
        return np.clip(np.rint(sums * ws.astype(np.float64).reshape(-1, 1, 1)) + int(yz), limits.min, limits.max).astype(kinds[2])

    inputs = [x, scale, draw_values(data, (), kinds[0], 0, 9), w, w_scale, w_zero, scale, draw_values(data, (), kinds[2], 0, 9), bias]
    check_case(data, "QLinearConv", inputs, {"pads": pads, "strides": strides, "dilations": dilations, "group": group}, lambda *a, **k: [reference(*a, **k)], check=exact)
