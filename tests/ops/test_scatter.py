"""Operator Scatter, the deprecated name of ScatterElements."""

import numpy as np
from opgraft.testing import run_node


def test_scatter():
    data = np.arange(6, dtype=np.float32).reshape(2, 3)
    for opset in (9, 10, 11):
        (got,) = run_node("Scatter", [data, np.array([[2, 0]]), np.array([[7, 8]], np.float32)], {"axis": 1}, opset=opset)
        np.testing.assert_array_equal(got, [[8, 1, 7], [3, 4, 5]])
