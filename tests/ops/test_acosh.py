"""Operator Acosh."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op
from random_cases import check_unary


def test_acosh():
    rng = np.random.default_rng(0)
    for dtype in (np.float32, np.float64, np.float16):
        for shape in ((3, 5), (), (0, 2), (40,)):
            x = rng.normal(size=shape)
            x = np.asarray(np.abs(x) + 1).astype(dtype)
            check_op("Acosh", inputs=[x], reference=lambda x: np.arccosh(x))


@given(st.data())
def test_random(data):
    check_unary(data, "Acosh", np.arccosh, low=0.5, high=50)
