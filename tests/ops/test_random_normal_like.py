"""Operator RandomNormalLike: statistics and types."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import run_node
from random_cases import WHOLE_BYTES, draw_array
from random_more import draw_opset


def test_statistics():
    x = np.zeros((200, 500), np.float16)
    (y,) = run_node("RandomNormalLike", [x], {"seed": 1.0, "dtype": 1, **{"mean": 3.0, "scale": 2.0}})
    assert y.shape == x.shape and y.dtype == np.float32
    assert abs(y.mean() - 3.0) < 0.03 and abs(y.std() - 2.0) < 0.03
    assert run_node("RandomNormalLike", [x])[0].dtype == np.float16


@given(st.data())
def test_random(data):
    x = draw_array(data, WHOLE_BYTES)
    (y,) = run_node("RandomNormalLike", [x], {"dtype": 11, "mean": 100.0}, opset=draw_opset(data, "RandomNormalLike"))
    assert y.shape == x.shape and y.dtype == np.float64 and (abs(y - 100) < 9).all()
