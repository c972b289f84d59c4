"""LRN: windows over channels, powers."""

import numpy as np
import opgraft
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op, run_node
from random_cases import ALL_FLOATS, check_case, draw_array, draw_attrs, draw_opset, types_of


def lrn(x, size, alpha=1e-4, beta=0.75, bias=1.0):
    squares = np.zeros_like(x)
    for c in range(x.shape[1]):
        low, high = max(0, c - (size - 1) // 2), min(x.shape[1], c + size // 2 + 1)
        squares[:, c] = (x[:, low:high] ** 2).sum(axis=1)
    return x / (bias + alpha / size * squares) ** beta


@pytest.mark.parametrize("shape", [(2, 5, 7, 6), (1, 1, 3, 3), (1, 13, 700), (0, 3, 2, 2), (2, 4)])
@pytest.mark.parametrize("size", [1, 3, 4, 9])
def test_values(shape, size):
    check_op(
        "LRN",
        shapes=[shape],
        dtypes=["f32", "f64", "f16"],
        attrs={
            "size": [size],
            "alpha": [1e-4, 0.5],
            "beta": [0.75, 0.5],
            "bias": [1.0, 2.0],
        },
        reference=lrn,
    )


def test_wrong_size():
    with pytest.raises(opgraft.Error, match="size = 0"):
        run_node("LRN", [np.zeros((1, 2, 3), np.float32)], {"size": 0})


@given(st.data())
def test_random(data):
    opset = draw_opset(data, "LRN")
    x = draw_array(data, types_of("LRN", opset, ALL_FLOATS), min_rank=3, special=False)
    attrs = {"size": data.draw(st.integers(1, 9))} | draw_attrs(data, alpha=(0.0, 2.0), beta=(0.25, 1.5), bias=(0.5, 2.0))
    check_case(data, "LRN", [x], attrs, lrn, opset=opset)
