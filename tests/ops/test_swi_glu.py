"""Operator SwiGLU."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op
from random_cases import check_case, draw_shape, draw_values
from random_more import draw_number, types_of


def test_swi_glu():
    check_op(
        "SwiGLU", shapes=[[(3, 5), (3, 5)], [(0,), (0,)]], dtypes=["f32", "f64", "f16"], attrs={"alpha": [1.0, 0.5]},
        reference=lambda a, b, alpha: a / (1 + np.exp(-alpha * a)) * b,
    )


@given(st.data())
def test_random(data):
    shape, dtype = draw_shape(data), data.draw(st.sampled_from(types_of("SwiGLU")))
    a, b = (draw_values(data, shape, dtype, special=False) for _ in range(2))
    check_case(data, "SwiGLU", [a, b], {"alpha": draw_number(data)}, lambda a, b, alpha: a / (1 + np.exp(-alpha * a)) * b)
