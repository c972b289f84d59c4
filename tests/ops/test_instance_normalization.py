"""InstanceNormalization: statistics per channel and entry."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op
from random_cases import ALL_FLOATS, check_case, draw_array, draw_attrs, draw_opset, draw_values, types_of


def instance_normalization(x, scale, b, epsilon=1e-5):
    axes, shape = tuple(range(2, x.ndim)), [1, -1] + [1] * (x.ndim - 2)
    mean = x.mean(axis=axes, keepdims=True)
    variance = ((x - mean) ** 2).mean(axis=axes, keepdims=True)
    return (x - mean) / np.sqrt(variance + epsilon) * scale.reshape(shape) + b.reshape(shape)


@pytest.mark.parametrize("shape", [(2, 3, 13, 17), (1, 5, 127), (2, 1, 3, 4, 5), (0, 3, 4), (1, 2, 100, 100)])
def test_values(shape):
    check_op(
        "InstanceNormalization",
        shapes=[[shape, shape[1:2], shape[1:2]]],
        dtypes=["f32", "f64", "f16"],
        attrs={"epsilon": [1e-5, 0.1]},
        reference=instance_normalization,
    )


@given(st.data())
def test_random(data):
    opset = draw_opset(data, "InstanceNormalization", since=6)
    x = draw_array(data, types_of("InstanceNormalization", opset, ALL_FLOATS), min_rank=3, min_size=1, special=False)
    inputs = [x, *(draw_values(data, x.shape[1:2], x.dtype, special=False) for _ in range(2))]
    check_case(data, "InstanceNormalization", inputs, draw_attrs(data, epsilon=(0.0009765625, 0.5)), instance_normalization, opset=opset)
