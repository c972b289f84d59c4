"""Operator Tan."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op
from random_more import check_pointwise


def test_tan():
    rng = np.random.default_rng(0)
    for dtype in (np.float32, np.float64, np.float16):
        for shape in ((3, 5), (), (0, 2), (40,)):
            x = rng.normal(size=shape)
            x = np.asarray(np.tanh(x)).astype(dtype)
            check_op("Tan", inputs=[x], reference=lambda x: np.tan(x))


@given(st.data())
def test_random(data):
    check_pointwise(data, "Tan", np.tan)
