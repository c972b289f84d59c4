"""Operator RandomUniformLike: statistics and types."""

import numpy as np
from opgraft.testing import run_node


def test_statistics():
    x = np.zeros((200, 500), np.float16)
    (y,) = run_node("RandomUniformLike", [x], {"seed": 1.0, "dtype": 1, **{"low": 1.0, "high": 5.0}})
    assert y.shape == x.shape and y.dtype == np.float32
    assert abs(y.mean() - 3.0) < 0.03 and abs(y.std() - 4 / np.sqrt(12)) < 0.03
    assert run_node("RandomUniformLike", [x])[0].dtype == np.float16
