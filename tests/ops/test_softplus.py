"""Operator Softplus."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op
from random_more import check_pointwise


def test_softplus():
    check_op(
        "Softplus",
        shapes=[(2, 3), (13, 17), (127,), (1, 4, 1), (0, 5), ()],
        dtypes=["f32", "f64", "f16"],
        reference=lambda x: np.logaddexp(0, x),
    )


def test_softplus_of_extremes():
    x = np.array([-np.inf, -200, -20, 0, 20, 3e38, np.inf, np.nan], np.float32)
    check_op("Softplus", inputs=[x], reference=lambda x: np.logaddexp(0, x))
    check_op("Softplus", inputs=[np.linspace(-30, -10, 101).astype(np.float32)], reference=lambda x: np.logaddexp(0, x))


@given(st.data())
def test_random(data):
    check_pointwise(data, "Softplus", lambda x: np.logaddexp(0, x))
