"""MaxPool: windows, indices in both orders, rounding up, dilations, types."""

import numpy as np
import opgraft
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op, run_node
from oracles import check_against_onnxruntime
from pool_reference import CASES, windows_of
from random_cases import check_case, draw_values
from random_more import draw_opset, types_of


def max_pool(x, kernel_shape, storage_order=0, **attrs):
    return windows_of(
        x,
        kernel_shape,
        lambda inside, taps, padded: max(inside, default=-np.inf),
        **attrs,
    )


@pytest.mark.parametrize("shape,attrs", CASES)
def test_values(shape, attrs):
    attrs = {k: [v] for k, v in attrs.items() if k != "count_include_pad"}
    check_op(
        "MaxPool",
        shapes=[shape],
        dtypes=["f32", "f64", "f16"],
        attrs=attrs,
        reference=max_pool,
    )


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
def test_small_integers(dtype):
    x = np.random.default_rng(0).integers(0, 100, (1, 2, 9, 8)).astype(dtype)
    attrs = {"kernel_shape": [3, 2], "strides": [2, 1], "pads": [1, 0, 1, 1]}
    check_against_onnxruntime("MaxPool", [x], attrs)


@pytest.mark.parametrize("order", [0, 1])
@pytest.mark.parametrize(
    "shape,kernel",
    [((2, 3, 9), [3]), ((2, 3, 9, 7), [3, 2]), ((1, 2, 5, 6, 7), [2, 3, 2])],
)
def test_indices(order, shape, kernel):
    x = np.random.default_rng(1).normal(size=shape).astype(np.float32)
    attrs = {
        "kernel_shape": kernel,
        "strides": [2] * len(kernel),
        "storage_order": order,
    }
    check_against_onnxruntime("MaxPool", [x], attrs, outputs=2)
    check_against_onnxruntime("MaxPool", [x.astype(np.float64)], attrs, outputs=2)


@pytest.mark.parametrize("auto_pad", ["SAME_UPPER", "SAME_LOWER", "VALID"])
def test_auto_pad(auto_pad):
    x = np.random.default_rng(2).normal(size=(1, 2, 11, 8)).astype(np.float32)
    check_against_onnxruntime(
        "MaxPool",
        [x],
        {"kernel_shape": [3, 4], "strides": [2, 3], "auto_pad": auto_pad},
    )


@pytest.mark.parametrize("opset", [8, 10, 11, 12])
def test_older_versions(opset):
    x = np.random.default_rng(3).normal(size=(1, 2, 11, 8)).astype(np.float32)
    check_against_onnxruntime("MaxPool", [x], {"kernel_shape": [3, 2], "pads": [1, 1, 1, 0]}, opset=opset)


def test_not_a_number_wins():
    x = np.zeros((1, 1, 4, 4), np.float32)
    x[0, 0, 1, 1] = np.nan
    for dtype in (np.float32, np.float64):
        y = run_node("MaxPool", [x.astype(dtype)], {"kernel_shape": [2, 2], "strides": [2, 2]})[0]
        assert np.isnan(y[0, 0, 0, 0]) and np.isfinite(y.ravel()[1:]).all()


def test_errors():
    with pytest.raises(opgraft.Error, match="kernel_shape"):
        run_node("MaxPool", [np.zeros((1, 1, 4, 4), np.float32)], {"kernel_shape": [2]})
    with pytest.raises(opgraft.Error, match="strides"):
        run_node(
            "MaxPool",
            [np.zeros((1, 1, 4, 4), np.float32)],
            {"kernel_shape": [2, 2], "strides": [0, 1]},
        )


@given(st.data())
def test_random(data):
    opset = draw_opset(data, "MaxPool")
    dtype = np.dtype(data.draw(st.sampled_from(types_of("MaxPool", opset)), label="dtype"))
    n = data.draw(st.integers(1, 3), label="spatial axes")
    kernel = [data.draw(st.integers(1, 3)) for _ in range(n)]
    dilations = [data.draw(st.integers(1, 2)) for _ in range(n)] if opset is None or opset >= 10 else [1] * n
    pads = [data.draw(st.integers(0, k - 1)) for k in 2 * kernel]
    sizes = [data.draw(st.integers(d * (k - 1) + 1, 7)) for d, k in zip(dilations, kernel)]
    attrs = {"kernel_shape": kernel, "strides": [data.draw(st.integers(1, 3)) for _ in range(n)], "pads": pads}
    if opset is None or opset >= 10:
        attrs |= {"dilations": dilations, "ceil_mode": data.draw(st.integers(0, 1))}
    x = draw_values(data, (data.draw(st.integers(0, 2)), data.draw(st.integers(1, 3)), *sizes), dtype)
    lowest = -np.inf if dtype.kind not in "iu" else np.iinfo(dtype).min

    def reference(x, **attrs):
        return windows_of(x, reduce=lambda inside, *_: np.max(inside, initial=lowest), **attrs).astype(x.dtype)

    check_case(data, "MaxPool", [x], attrs, reference, opset=opset)
