"""GlobalAveragePool: the mean over all spatial axes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op
from random_cases import check_unary


@pytest.mark.parametrize(
    "shape",
    [
        (1, 3, 7, 7),
        (2, 5, 13),
        (2, 3, 4, 5, 6),
        (1, 1, 1, 1),
        (0, 3, 4, 4),
        (3, 17, 127),
    ],
)
def test_values(shape):
    check_op(
        "GlobalAveragePool",
        shapes=[shape],
        dtypes=["f32", "f64", "f16"],
        reference=lambda x: x.mean(axis=tuple(range(2, x.ndim)), keepdims=True),
    )


@given(st.data())
def test_random(data):
    check_unary(data, "GlobalAveragePool", lambda x: x.mean(axis=tuple(range(2, x.ndim)), keepdims=True), min_rank=3, min_size=1, special=False)
