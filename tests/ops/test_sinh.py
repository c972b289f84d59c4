"""Operator Sinh."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op
from random_more import check_pointwise


def test_sinh():
    rng = np.random.default_rng(0)
    for dtype in (np.float32, np.float64, np.float16):
        for shape in ((3, 5), (), (0, 2), (40,)):
            x = rng.normal(size=shape)
            x = np.asarray(x).astype(dtype)
            check_op("Sinh", inputs=[x], reference=lambda x: np.sinh(x))


@given(st.data())
def test_random(data):
    check_pointwise(data, "Sinh", np.sinh)
