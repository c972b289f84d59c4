"""Operator Atanh."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op
from random_cases import check_unary


def test_atanh():
    rng = np.random.default_rng(0)
    for dtype in (np.float32, np.float64, np.float16):
        for shape in ((3, 5), (), (0, 2), (40,)):
            x = rng.normal(size=shape)
            x = np.asarray(np.tanh(x / 4)).astype(dtype)
            check_op("Atanh", inputs=[x], reference=lambda x: np.arctanh(x))


@given(st.data())
def test_random(data):
    check_unary(data, "Atanh", np.arctanh, low=-1.2, high=1.2)
