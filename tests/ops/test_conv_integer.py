"""Operator ConvInteger."""

import numpy as np
import opgraft
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import run_node
from random_cases import check_case, draw_values, draw_windows


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
@pytest.mark.parametrize("kinds", [(np.uint8, np.int8), (np.int8, np.uint8)], ids=str)
def test_conv_integer(case, kinds):
    x_shape, w_shape, pads, strides, dilations, group = case
    rng = np.random.default_rng(0)
    x, w = (rng.integers(np.iinfo(k).min, np.iinfo(k).max + 1, s).astype(k) for k, s in zip(kinds, (x_shape, w_shape), strict=True))
    attrs = {"pads": pads, "strides": strides, "dilations": dilations, "group": group}
    for x_zero, w_zero in ((None, None), (np.array(9, kinds[0]), np.array(4, kinds[1])), (None, rng.integers(0, 9, w_shape[0]).astype(kinds[1]))):
        (got,) = run_node("ConvInteger", [x, w, x_zero, w_zero], attrs)
        wide_x = x.astype(np.int64) - (0 if x_zero is None else int(x_zero))
        shift = 0 if w_zero is None else w_zero.astype(np.int64).reshape(-1, 1, 1, 1)
        np.testing.assert_array_equal(got, convolve(wide_x, w.astype(np.int64) - shift, pads, strides, dilations, group))


def test_channels_must_fit():
    with pytest.raises(opgraft.Error, match="channels of x must be dim 1 of w times group"):
        run_node("ConvInteger", [np.zeros((1, 3, 4, 4), np.uint8), np.zeros((1, 2, 2, 2), np.uint8)])


@given(st.data())
def test_random(data):
    kinds = [data.draw(st.sampled_from([np.int8, np.uint8])) for _ in range(2)]
    sizes, attrs = draw_windows(data, 2)
    group, narrow, wide = (data.draw(st.integers(1, 3)) for _ in range(3))
    shapes = [(data.draw(st.integers(1, 2)), group * narrow, *sizes), (group * wide, narrow, *attrs["kernel_shape"])]
    x, w = (draw_values(data, s, k, low=np.iinfo(k).min, high=np.iinfo(k).max) for s, k in zip(shapes, kinds))
    zeros = [draw_values(data, (), kinds[0]), draw_values(data, data.draw(st.sampled_from([(), w.shape[:1]])), kinds[1])]
    inputs = [x, w, *zeros[: data.draw(st.integers(0, 2))]]
    given = {"pads": [0] * 4, "strides": [1] * 2, "dilations": [1] * 2, "group": 1} | attrs | {"group": group}

    def reference(x, w, x_zero=0, w_zero=0, **_):
        shift = np.asarray(w_zero, np.int64).reshape(-1, 1, 1, 1)
        given.pop("kernel_shape", None)
        return convolve(x.astype(np.int64) - int(x_zero), w.astype(np.int64) - shift, **given).astype(np.int32)

    check_case(data, "ConvInteger", inputs, attrs | {"group": group}, reference)
