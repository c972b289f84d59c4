"""AveragePool: windows, divisors with and without pads, rounding up, dilations."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op
from oracles import check_against_onnxruntime
from pool_reference import CASES, windows_of
from random_cases import ALL_FLOATS, check_case, draw_attrs, draw_opset, draw_values, draw_windows, types_of


def average_pool(x, kernel_shape, count_include_pad=0, **attrs):
    def mean(inside, taps, padded):
        count = padded if count_include_pad else len(inside)
        return sum(inside) / count if count else 0.0

    return windows_of(x, kernel_shape, mean, **attrs)


@pytest.mark.parametrize("shape,attrs", CASES)
def test_values(shape, attrs):
    attrs = {k: [v] for k, v in attrs.items()}
    check_op(
        "AveragePool",
        shapes=[shape],
        dtypes=["f32", "f64", "f16"],
        attrs=attrs,
        reference=average_pool,
    )


@pytest.mark.parametrize("auto_pad", ["SAME_UPPER", "SAME_LOWER", "VALID"])
@pytest.mark.parametrize("count", [0, 1])
def test_auto_pad(auto_pad, count):
    x = np.random.default_rng(2).normal(size=(1, 2, 11, 8)).astype(np.float32)
    attrs = {
        "kernel_shape": [3, 4],
        "strides": [2, 3],
        "auto_pad": auto_pad,
        "count_include_pad": count,
    }
    check_against_onnxruntime("AveragePool", [x], attrs)


@pytest.mark.parametrize("opset", [7, 10, 11, 19])
def test_older_versions(opset):
    x = np.random.default_rng(3).normal(size=(1, 2, 11, 8)).astype(np.float32)
    check_against_onnxruntime("AveragePool", [x], {"kernel_shape": [3, 2], "pads": [1, 1, 1, 0]}, opset=opset)


@given(st.data())
def test_random(data):
    opset = draw_opset(data, "AveragePool", since=10)
    dilated = opset is None or opset >= 19
    sizes, attrs = draw_windows(data, data.draw(st.integers(1, 3)), dilated)
    attrs |= draw_attrs(data, count_include_pad=[0, 1], **({"ceil_mode": [0, 1]} if dilated else {}))
    dtype = data.draw(st.sampled_from(types_of("AveragePool", opset, ALL_FLOATS)))
    x = draw_values(data, (data.draw(st.integers(0, 2)), data.draw(st.integers(1, 2)), *sizes), dtype, special=False)
    check_case(data, "AveragePool", [x], attrs, average_pool, opset=opset)
