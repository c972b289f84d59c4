"""Operator Bernoulli: statistics and types."""

import numpy as np
from opgraft.testing import run_node


def test_bernoulli():
    chance = np.broadcast_to(np.array([0, 0.2, 0.7, 1], np.float32), (20000, 4))
    for attrs, dtype in (({}, np.float32), ({"dtype": 9}, np.bool_), ({"dtype": 7}, np.int64), ({"dtype": 11}, np.float64)):
        (y,) = run_node("Bernoulli", [chance], {"seed": 3.0} | attrs)
        assert y.dtype == dtype and set(np.unique(y).astype(int)) == {0, 1}
        np.testing.assert_allclose(y.astype(np.float64).mean(0), [0, 0.2, 0.7, 1], atol=0.02)
