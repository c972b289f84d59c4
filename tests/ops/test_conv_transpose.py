"""ConvTranspose: groups, strides, output sizes, one to three axes."""

import itertools

import numpy as np
import opgraft
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op, run_node
from oracles import check_against_onnxruntime
from random_cases import ALL_FLOATS, check_case, draw_opset, draw_values, draw_windows, types_of


def conv_transpose(
    x,
    w,
    b=None,
    strides=None,
    pads=None,
    dilations=None,
    group=1,
    output_padding=None,
    **_,
):
    """Spreads every input element, in double precision."""
    n = x.ndim - 2
    strides, dilations, pads = (
        strides or [1] * n,
        dilations or [1] * n,
        pads or [0] * (2 * n),
    )
    extra = output_padding or [0] * n
    whole = [(x.shape[2 + i] - 1) * strides[i] + dilations[i] * (w.shape[2 + i] - 1) + 1 + extra[i] for i in range(n)]
    y = np.zeros([x.shape[0], w.shape[1] * group, *whole])
    narrow, wide = x.shape[1] // group, w.shape[1]
    for g in range(group):
        part = x[:, g * narrow : (g + 1) * narrow]
        for tap in itertools.product(*(range(k) for k in w.shape[2:])):
            at = tuple(
                slice(
                    tap[i] * dilations[i],
                    tap[i] * dilations[i] + (x.shape[2 + i] - 1) * strides[i] + 1,
                    strides[i],
                )
                for i in range(n)
            )
            weights = w[(slice(g * narrow, (g + 1) * narrow), slice(None), *tap)]
            y[(slice(None), slice(g * wide, (g + 1) * wide), *at)] += np.einsum("nc...,cm->nm...", part, weights)
    y = y[
        (
            slice(None),
            slice(None),
            *(slice(pads[i], whole[i] - pads[n + i]) for i in range(n)),
        )
    ]
    return y if b is None else y + b.reshape([1, -1] + [1] * n)


CASES = [
    ((1, 3, 5, 7), (3, 4, 3, 3), {}),
    ((2, 8, 5, 7), (8, 4, 2, 2), {"strides": [2, 2]}),
    ((1, 6, 5, 7), (6, 2, 3, 3), {"group": 3, "strides": [2, 3], "pads": [1, 0, 1, 2]}),
    ((1, 4, 5, 4), (4, 1, 4, 4), {"group": 4, "strides": [2, 2], "pads": [1, 1, 1, 1]}),
    (
        (1, 3, 5, 7),
        (3, 4, 3, 3),
        {"strides": [3, 2], "output_padding": [2, 1], "dilations": [2, 2]},
    ),
    ((2, 3, 9), (3, 2, 4), {"strides": [2], "pads": [1, 1]}),
    (
        (1, 2, 3, 4, 5),
        (2, 3, 3, 2, 3),
        {"strides": [2, 1, 2], "pads": [1, 0, 0, 1, 1, 0]},
    ),
]


@pytest.mark.parametrize("x,w,attrs", CASES)
@pytest.mark.parametrize("bias", [False, True])
def test_values(x, w, attrs, bias):
    shapes = [x, w] + ([(w[1] * attrs.get("group", 1),)] if bias else [])
    attrs = {k: [v] for k, v in attrs.items()}
    check_op(
        "ConvTranspose",
        shapes=[shapes],
        dtypes=["f32", "f64", "f16"],
        attrs=attrs,
        reference=conv_transpose,
    )


@pytest.mark.parametrize("x,w,attrs", CASES)
def test_constant_weights(x, w, attrs):
    rng = np.random.default_rng(1)
    arrays = [rng.normal(size=s).astype(np.float32) for s in (x, w, (w[1] * attrs.get("group", 1),))]
    check_against_onnxruntime("ConvTranspose", arrays, attrs, constants=(1, 2))


@pytest.mark.parametrize("auto_pad", ["SAME_UPPER", "SAME_LOWER", "VALID", "NOTSET"])
@pytest.mark.parametrize("output_shape", [None, [10, 8], [9, 9]])
def test_given_sizes(auto_pad, output_shape):
    rng = np.random.default_rng(2)
    arrays = [rng.normal(size=s).astype(np.float32) for s in ((1, 3, 4, 4), (3, 2, 3, 3))]
    attrs = {"auto_pad": auto_pad, "strides": [2, 2]}
    if output_shape:
        attrs["output_shape"] = output_shape
    check_against_onnxruntime("ConvTranspose", arrays, attrs, constants=(1,))


def test_wrong_channels():
    with pytest.raises(opgraft.Error, match="found 4, expected 3"):
        run_node(
            "ConvTranspose",
            [np.zeros((1, 3, 4, 4), np.float32), np.zeros((4, 2, 3, 3), np.float32)],
        )


@given(st.data())
def test_random(data):
    opset = draw_opset(data, "ConvTranspose")
    dtype = data.draw(st.sampled_from(types_of("ConvTranspose", opset, ALL_FLOATS)))
    n, group = data.draw(st.integers(1, 3)), data.draw(st.sampled_from([1, 1, 2, 3]))
    sizes, attrs = draw_windows(data, n)
    sizes = [max(2, size // 2) for size in sizes]
    if data.draw(st.booleans()):
        largest = [max(pair) - 1 for pair in zip(attrs.get("strides", [1] * n), attrs.get("dilations", [1] * n))]
        attrs["output_padding"] = [data.draw(st.integers(0, k)) for k in largest]
    narrow, wide = data.draw(st.sampled_from([1, 1, 2, 3, 5, 8])), data.draw(st.sampled_from([1, 1, 2, 3, 7, 8]))
    shapes = [(data.draw(st.integers(1, 3)), group * narrow, *sizes), (group * narrow, wide, *attrs["kernel_shape"])]
    shapes += [(group * wide,)] if data.draw(st.booleans()) else []
    attrs |= {"group": group} if group > 1 else {}
    inputs = [draw_values(data, shape, dtype, special=False) for shape in shapes]
    check_case(data, "ConvTranspose", inputs, attrs, conv_transpose, opset=opset)
