"""Operator Sqrt."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op
from random_more import check_pointwise


def test_sqrt():
    for dtype in ["f32", "f64", "f16"]:
        name = {"f32": np.float32, "f64": np.float64, "f16": np.float16}[dtype]
        for shape in [(2, 3), (13, 17), (127,), (1, 4, 1), (0, 5), ()]:
            x = np.abs(np.random.default_rng(0).normal(1, 2, shape)).astype(name) + name(0.1)
            check_op("Sqrt", inputs=[x], reference=lambda x: np.sqrt(x))


@given(st.data())
def test_random(data):
    check_pointwise(data, "Sqrt", np.sqrt)
