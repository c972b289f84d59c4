"""Operator RandomUniformLike: statistics and types."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import run_node
from random_cases import WHOLE_BYTES, draw_array
from random_more import draw_opset


def test_statistics():
    x = np.zeros((200, 500), np.float16)
    (y,) = run_node("RandomUniformLike", [x], {"seed": 1.0, "dtype": 1, **{"low": 1.0, "high": 5.0}})
    assert y.shape == x.shape and y.dtype == np.float32
    assert abs(y.mean() - 3.0) < 0.03 and abs(y.std() - 4 / np.sqrt(12)) < 0.03
    assert run_node("RandomUniformLike", [x])[0].dtype == np.float16


@given(st.data())
def test_random(data):
    x = draw_array(data, WHOLE_BYTES)
    (y,) = run_node("RandomUniformLike", [x], {"dtype": 11, "low": 2.0, "high": 3.0}, opset=draw_opset(data, "RandomUniformLike"))
    assert y.shape == x.shape and y.dtype == np.float64 and ((y >= 2) & (y < 3)).all()
