"""Operator Tile."""

import numpy as np
from opgraft.testing import check_op


def test_tile():
    for shape, repeats in [((2, 3), [2, 1]), ((2, 3), [1, 4]), ((2, 3, 4), [3, 1, 2]), ((5,), [0]), ((1,), [7])]:
        for dtype in (np.float32, np.int64, np.bool_):
            x = np.arange(np.prod(shape)).astype(dtype).reshape(shape)
            check_op("Tile", inputs=[x, np.array(repeats, np.int64)], reference=np.tile)
