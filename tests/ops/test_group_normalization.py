"""GroupNormalization: scale and bias per channel (version 21) and per group (version 18)."""

import numpy as np
import opgraft
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op, run_node
from random_cases import ALL_FLOATS, check_case, draw_attrs, draw_shape, draw_values


def group_normalization(x, scale, bias, num_groups, epsilon=1e-5):
    if scale.size == num_groups and x.shape[1] != num_groups:
        scale, bias = (v.repeat(x.shape[1] // num_groups) for v in (scale, bias))
    shape = [1, -1] + [1] * (x.ndim - 2)
    groups = x.reshape(x.shape[0], num_groups, -1) if x.size else np.zeros((0, num_groups, 1))
    mean = groups.mean(axis=2, keepdims=True)
    variance = ((groups - mean) ** 2).mean(axis=2, keepdims=True)
    y = ((groups - mean) / np.sqrt(variance + epsilon)).reshape(x.shape) if x.size else x
    return y * scale.reshape(shape) + bias.reshape(shape)


@pytest.mark.parametrize("shape,groups", [((2, 6, 7, 5), 3), ((1, 8, 127), 1), ((2, 4, 3), 4), ((0, 4, 4), 2)])
def test_values(shape, groups):
    for opset, count in ((21, shape[1]), (18, groups)):
        check_op(
            "GroupNormalization",
            shapes=[[shape, (count,), (count,)]],
            dtypes=["f32", "f64", "f16"],
            attrs={"num_groups": [groups]},
            opset=opset,
            reference=group_normalization,
        )


def test_wrong_groups():
    with pytest.raises(opgraft.Error, match="5 channels do not divide"):
        x, ones = np.zeros((1, 5, 3), np.float32), np.ones(5, np.float32)
        run_node("GroupNormalization", [x, ones, ones], {"num_groups": 2})


@given(st.data())
def test_random(data):
    opset = data.draw(st.sampled_from([None, 21, 18]))
    groups, each = data.draw(st.integers(1, 4)), data.draw(st.sampled_from([1, 2, 3, 8]))
    x = draw_values(data, (data.draw(st.integers(0, 3)), groups * each, *draw_shape(data, max_rank=2, min_size=1)), data.draw(st.sampled_from(ALL_FLOATS)), special=False)
    count = groups if opset == 18 else groups * each
    scale, bias = (draw_values(data, (count,), x.dtype, special=False) for _ in range(2))
    attrs = {"num_groups": groups} | draw_attrs(data, epsilon=(0.0009765625, 0.5))
    check_case(data, "GroupNormalization", [x, scale, bias], attrs, group_normalization, opset=opset)
