"""GroupNormalization: scale and bias per channel (version 21) and per group (version 18)."""

import numpy as np
import opgraft
import pytest
from opgraft.testing import check_op, run_node


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
