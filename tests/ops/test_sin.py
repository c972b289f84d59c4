"""Operator Sin."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op
from random_more import check_pointwise


def test_sin():
    check_op(
        "Sin",
        shapes=[(2, 3), (13, 17), (127,), (1, 4, 1), (0, 5), ()],
        dtypes=["f32", "f64", "f16"],
        reference=lambda x: np.sin(x),
    )


def test_sin_of_large_values():
    x = np.concatenate([np.linspace(-8192, 8192, 5001), [1e5, -1e9, 3e38, np.inf, -np.inf, np.nan]]).astype(np.float32)
    check_op("Sin", inputs=[x], reference=np.sin)
    check_op("Sin", inputs=[x[:5001]], reference=np.sin, tolerance=2e-7)


@given(st.data())
def test_random(data):
    check_pointwise(data, "Sin", np.sin)
