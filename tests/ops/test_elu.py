"""Operator Elu."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op
from random_cases import check_unary, draw_attrs


def test_elu():
    attrs = {"alpha": [1.0, 0.5]}
    check_op(
        "Elu",
        shapes=[(2, 3), (13, 17), (127,), (1, 4, 1), (0, 5), ()],
        dtypes=["f32", "f64", "f16"],
        attrs=attrs,
        reference=lambda x, alpha: np.where(x < 0, alpha * np.expm1(np.minimum(x, 0)), x),
    )


def test_elu_of_extremes():
    x = np.array([-np.inf, -200, -88, -1e-6, -0.0, 0, 3e38, np.inf, np.nan], np.float32)
    check_op("Elu", inputs=[x], reference=lambda x: np.where(x < 0, np.expm1(x), x))
    small = np.linspace(-1e-3, 0, 101).astype(np.float32)
    check_op("Elu", inputs=[small], reference=np.expm1, tolerance=3e-7)


@given(st.data())
def test_random(data):
    check_unary(data, "Elu", lambda x, alpha=1.0: np.where(x < 0, alpha * np.expm1(np.minimum(x, 0)), x), attrs=draw_attrs(data, alpha=(0.25, 4.0)))
