"""Operator Swish."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op
from random_more import check_pointwise, draw_number


def test_swish():
    check_op(
        "Swish",
        shapes=[(2, 3), (13, 17), (127,), (1, 4, 1), (0, 5), ()],
        dtypes=["f32", "f64", "f16"],
        attrs={"alpha": [1.0, 1.7, -0.5]},
        reference=lambda x, alpha: x / (1 + np.exp(-alpha * x)),
    )


def test_swish_of_large_values():
    x = np.array([-1e4, -100, 100, 1e4], np.float32)
    check_op("Swish", inputs=[x], reference=lambda x: np.where(x < 0, 0, x))


@given(st.data())
def test_random(data):
    check_pointwise(data, "Swish", lambda x, alpha: x / (1 + np.exp(-alpha * x)), {"alpha": draw_number(data)}, special=False)
