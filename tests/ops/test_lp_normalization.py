"""Operator LpNormalization."""

import numpy as np
import opgraft
import pytest
from opgraft.testing import check_op, run_node


def reference(x, axis, p):
    norm = np.abs(x).sum(axis, keepdims=True) if p == 1 else np.sqrt((x * x).sum(axis, keepdims=True))
    return np.divide(x, norm, out=np.zeros_like(x), where=norm != 0)


def test_lp_normalization():
    check_op("LpNormalization", shapes=[(3, 4, 5), (7,)], dtypes=["f32", "f64", "f16"], attrs={"axis": [-1, 0], "p": [1, 2]}, reference=reference)
    check_op("LpNormalization", inputs=[np.zeros((2, 3), np.float32)], attrs={"axis": [0], "p": [2]}, reference=reference)


def test_other_norms_are_refused():
    with pytest.raises(opgraft.Error, match="p is 3, expected 1 or 2"):
        run_node("LpNormalization", [np.ones((2, 2), np.float32)], {"p": 3})
