"""Operator Selu."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op
from random_more import check_pointwise, draw_number


def test_selu():
    def reference(x, alpha=1.67326319217681884765625, gamma=1.05070102214813232421875):
        return gamma * np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0)))

    check_op("Selu", shapes=[(3, 5), (0,), ()], dtypes=["f32", "f64", "f16"], reference=reference)
    check_op("Selu", shapes=[(3, 5)], attrs={"alpha": [2.0], "gamma": [3.0]}, reference=reference)


@given(st.data())
def test_random(data):
    attrs = {"alpha": draw_number(data), "gamma": draw_number(data)}
    check_pointwise(data, "Selu", lambda x, alpha, gamma: gamma * np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0))), attrs, special=False)
