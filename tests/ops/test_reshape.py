"""Operator Reshape."""

import numpy as np
import opgraft
import pytest
from opgraft.testing import check_op


def test_reshape():
    x = np.arange(24).astype(np.float32).reshape(2, 3, 4)
    for to in [(6, 4), (-1,), (0, -1), (2, 0, 2, 2), (24,), (1, 2, 1, -1), (3, 8)]:
        want = x.reshape([x.shape[i] if d == 0 else d for i, d in enumerate(to)])
        check_op("Reshape", inputs=[x, np.array(to, np.int64)], reference=lambda x, to, w=want: w)


def test_reshape_with_zero_dims():
    x = np.zeros((0, 3), np.float32)
    check_op(
        "Reshape",
        inputs=[x, np.array([3, 0], np.int64)],
        attrs={"allowzero": [1]},
        reference=lambda x, to, allowzero: x.reshape(3, 0),
    )


def test_reshape_that_does_not_fit():
    with pytest.raises(opgraft.Error, match="cannot have the shape"):
        check_op("Reshape", inputs=[np.zeros((2, 3), np.float32), np.array([4], np.int64)], reference=lambda x, to: x)
