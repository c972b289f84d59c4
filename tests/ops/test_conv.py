"""Conv: one to three axes, groups, strides, dilations, every auto_pad, constant and computed weights."""

import itertools

import numpy as np
import opgraft
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op, compare, run_node
from oracles import check_against_onnxruntime
from random_cases import (
    ALL_FLOATS,
    check_case,
    draw_auto_pad,
    draw_opset,
    draw_values,
    draw_windows,
    explicit_pads,
    types_of,
)


def conv(x, w, b=None, strides=None, pads=None, dilations=None, group=1, **_):
    """Direct sums in double precision."""
    n = x.ndim - 2
    strides, dilations, pads = (
        strides or [1] * n,
        dilations or [1] * n,
        pads or [0] * (2 * n),
    )
    x = np.pad(x, [(0, 0), (0, 0)] + [(pads[i], pads[n + i]) for i in range(n)])
    out = [(x.shape[2 + i] - dilations[i] * (w.shape[2 + i] - 1) - 1) // strides[i] + 1 for i in range(n)]
    y = np.zeros([x.shape[0], w.shape[0], *out])
    wide, narrow = w.shape[0] // group, w.shape[1]
    for g in range(group):
        part = x[:, g * narrow : (g + 1) * narrow]
        for tap in itertools.product(*(range(k) for k in w.shape[2:])):
            window = tuple(
                slice(
                    tap[i] * dilations[i],
                    tap[i] * dilations[i] + (out[i] - 1) * strides[i] + 1,
                    strides[i],
                )
                for i in range(n)
            )
            weights = w[(slice(g * wide, (g + 1) * wide), slice(None), *tap)]
            y[:, g * wide : (g + 1) * wide] += np.einsum(
                "nc...,mc->nm...", part[(slice(None), slice(None), *window)], weights
            )
    return y if b is None else y + b.reshape([1, -1] + [1] * n)


CASES = [
    ((1, 3, 13, 17), (5, 3, 3, 3), {}),
    ((2, 3, 13, 17), (5, 3, 3, 3), {"pads": [1, 1, 1, 1]}),
    ((1, 8, 14, 14), (16, 8, 1, 1), {}),
    ((1, 8, 14, 14), (16, 8, 1, 1), {"strides": [2, 2]}),
    (
        (1, 8, 13, 9),
        (8, 1, 3, 3),
        {"group": 8, "pads": [1, 1, 1, 1], "strides": [2, 2]},
    ),
    ((1, 8, 13, 9), (16, 1, 5, 5), {"group": 8, "pads": [2, 2, 2, 2]}),
    (
        (2, 6, 11, 12),
        (9, 2, 3, 2),
        {"group": 3, "pads": [0, 1, 2, 1], "dilations": [2, 3]},
    ),
    ((1, 3, 7, 7), (4, 3, 7, 7), {}),
    ((1, 2, 5, 5), (3, 2, 3, 3), {"pads": [4, 4, 4, 4], "dilations": [3, 3]}),
    ((2, 4, 31), (6, 4, 5), {"pads": [2, 2], "strides": [3]}),
    ((1, 1, 300), (10, 1, 64), {"strides": [16]}),
    (
        (1, 4, 6, 7, 8),
        (5, 4, 3, 2, 3),
        {"pads": [1, 0, 1, 1, 1, 0], "strides": [1, 2, 1]},
    ),
    ((0, 3, 8, 8), (4, 3, 3, 3), {}),
]


@pytest.mark.parametrize("x,w,attrs", CASES)
@pytest.mark.parametrize("bias", [False, True])
def test_values(x, w, attrs, bias):
    shapes = [x, w] + ([(w[0],)] if bias else [])
    check_op(
        "Conv",
        shapes=[shapes],
        dtypes=["f32", "f64", "f16"],
        attrs={k: [v] for k, v in attrs.items()},
        reference=conv,
    )


@pytest.mark.parametrize("x,w,attrs", CASES)
def test_constant_weights(x, w, attrs):
    rng = np.random.default_rng(1)
    arrays = [rng.normal(size=s).astype(np.float32) for s in (x, w, (w[0],))]
    if 0 not in x:
        check_against_onnxruntime("Conv", arrays, attrs, constants=(1, 2))
        check_against_onnxruntime("Conv", arrays, attrs, constants=(1,), opset=11)


@pytest.mark.parametrize("auto_pad", ["SAME_UPPER", "SAME_LOWER", "VALID", "NOTSET"])
@pytest.mark.parametrize("strides", [[1, 1], [2, 3]])
@pytest.mark.parametrize("dilations", [[1, 1], [2, 1]])
def test_auto_pad(auto_pad, strides, dilations):
    if auto_pad.startswith("SAME") and dilations != [1, 1]:
        pytest.skip("onnxruntime has no SAME pads with dilations")
    rng = np.random.default_rng(2)
    arrays = [rng.normal(size=s).astype(np.float32) for s in ((1, 3, 14, 11), (4, 3, 4, 3))]
    attrs = {"auto_pad": auto_pad, "strides": strides, "dilations": dilations}
    check_against_onnxruntime("Conv", arrays, attrs, constants=(1,))


def test_errors_name_what_was_found():
    x, w = np.zeros((1, 3, 8, 8), np.float32), np.zeros((4, 2, 3, 3), np.float32)
    with pytest.raises(opgraft.Error, match="channels of X.*found 3, expected 2"):
        run_node("Conv", [x, w])
    w = np.zeros((4, 3, 3, 3), np.float32)
    with pytest.raises(opgraft.Error, match="kernel_shape"):
        run_node("Conv", [x, w], {"kernel_shape": [5, 5]})
    with pytest.raises(opgraft.Error, match="pads has 2 entries"):
        run_node("Conv", [x, w], {"pads": [1, 1]})
    with pytest.raises(opgraft.Error, match="padded input has 8"):
        run_node("Conv", [x, w], {"dilations": [4, 4]})
    with pytest.raises(opgraft.Error, match="auto_pad"):
        run_node("Conv", [x, w], {"auto_pad": "SAME"})


def test_not_a_number_stays_in_its_windows():
    x = np.zeros((1, 1, 6, 6), np.float32)
    x[0, 0, 5, 5] = np.nan
    y = run_node("Conv", [x, np.ones((1, 1, 3, 3), np.float32)])[0]
    compare(np.isnan(y), np.isnan(conv(x, np.ones((1, 1, 3, 3)))))


@given(st.data())
def test_random(data):
    opset = draw_opset(data, "Conv")
    dtype = data.draw(st.sampled_from(types_of("Conv", opset, ALL_FLOATS)))
    n, group = data.draw(st.integers(1, 3)), data.draw(st.sampled_from([1, 1, 2, 3]))
    sizes, attrs = draw_windows(data, n)
    narrow, wide = data.draw(st.sampled_from([1, 1, 2, 3, 5, 8])), data.draw(st.sampled_from([1, 1, 2, 3, 7, 8, 17]))
    x, w = (data.draw(st.integers(0, 3)), group * narrow, *sizes), (group * wide, narrow, *attrs["kernel_shape"])
    shapes = [x, w, *([w[:1]] if data.draw(st.booleans()) else [])]
    attrs = draw_auto_pad(data, attrs) | ({"group": group} if group > 1 else {})
    inputs = [draw_values(data, shape, dtype, special=False) for shape in shapes]
    check_case(data, "Conv", inputs, attrs, lambda x, *rest, **attrs: conv(x, *rest, **explicit_pads(x.shape[2:], **attrs)), opset=opset)
