"""Operator Gather."""

import numpy as np
import opgraft
import pytest
from opgraft.testing import check_op, run_node


def test_gather():
    for shape, axis, indices in [
        ((5, 3), 0, [0, 4, -1]),
        ((5, 3), 1, [[2, 0], [-3, 1]]),
        ((2, 3, 4), -1, [3]),
        ((6,), 0, 2),
        ((3, 2), 0, []),
    ]:
        for dtype in (np.float32, np.int64, np.bool_, np.float16):
            for kind in (np.int64, np.int32):
                x = np.arange(np.prod(shape)).astype(dtype).reshape(shape)
                inputs = [x, np.array(indices, kind)]
                check_op(
                    "Gather", inputs=inputs, attrs={"axis": [axis]}, reference=lambda x, i, axis: np.take(x, i, axis)
                )


def test_gather_out_of_range():
    with pytest.raises(opgraft.Error, match="index 5 is out of range for axis 0 of size 5"):
        run_node("Gather", [np.zeros((5, 2), np.float32), np.array([5], np.int64)])
