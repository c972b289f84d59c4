"""Operator Multinomial: statistics and types."""

import numpy as np
import opgraft
import pytest
from opgraft.testing import run_node


def test_multinomial():
    chance = np.array([[0.1, 0.2, 0.7], [0.5, 0.5, 1e-30]])
    for code, dtype in ((6, np.int32), (7, np.int64)):
        (y,) = run_node("Multinomial", [np.log(chance).astype(np.float32) + 5], {"sample_size": 20000, "dtype": code, "seed": 1.0})
        assert y.shape == (2, 20000) and y.dtype == dtype
        for row, expected in zip(y, chance, strict=True):
            np.testing.assert_allclose(np.bincount(row, minlength=3) / 20000, expected, atol=0.02)


def test_wrong_type():
    with pytest.raises(opgraft.Error, match="dtype = 1 must be int32 or int64"):
        run_node("Multinomial", [np.zeros((1, 2), np.float32)], {"dtype": 1})
