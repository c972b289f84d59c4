"""Operator GlobalLpPool."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op
from random_cases import check_unary, draw_attrs


def test_global_lp_pool():
    check_op(
        "GlobalLpPool", shapes=[(2, 3, 4, 5), (1, 2, 7), (2, 1, 3, 2, 2)], dtypes=["f32", "f64"], attrs={"p": [1, 2, 3]},
        reference=lambda x, p: (np.abs(x) ** p).sum(tuple(range(2, x.ndim)), keepdims=True) ** (1 / p),
    )


@given(st.data())
def test_random(data):
    def reference(x, p=2):
        return (np.abs(x) ** p).sum(tuple(range(2, x.ndim)), keepdims=True) ** (1 / p)

    check_unary(data, "GlobalLpPool", reference, attrs=draw_attrs(data, p=[1, 2, 3]), since=2, min_rank=3, min_size=1, special=False)
