"""Operator Celu."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op
from random_cases import check_unary, draw_attrs


def test_celu():
    check_op(
        "Celu", shapes=[(3, 5), (0,), ()], dtypes=["f32", "f64", "f16"], attrs={"alpha": [1.0, 2.5, 0.3]},
        reference=lambda x, alpha: np.maximum(x, 0) + np.minimum(0, alpha * np.expm1(np.minimum(x, 0) / alpha)),
    )


@given(st.data())
def test_random(data):
    check_unary(data, "Celu", lambda x, alpha=1.0: np.maximum(x, 0) + np.minimum(0, alpha * np.expm1(np.minimum(x, 0) / alpha)), attrs=draw_attrs(data, alpha=(0.25, 4.0)))
