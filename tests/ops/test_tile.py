"""Operator Tile."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op
from random_more import check_moved, draw_moved, draw_opset


def test_tile():
    for shape, repeats in [((2, 3), [2, 1]), ((2, 3), [1, 4]), ((2, 3, 4), [3, 1, 2]), ((5,), [0]), ((1,), [7])]:
        for dtype in (np.float32, np.int64, np.bool_):
            x = np.arange(np.prod(shape)).astype(dtype).reshape(shape)
            check_op("Tile", inputs=[x, np.array(repeats, np.int64)], reference=np.tile)


@given(st.data())
def test_random(data):
    opset = draw_opset(data, "Tile", 6)
    x = draw_moved(data, "Tile", opset, max_rank=3)
    repeats = [data.draw(st.integers(0, 3)) for _ in x.shape]
    check_moved(data, "Tile", [x, np.array(repeats, np.int64)], None, lambda x, r: np.tile(x, r) if x.ndim else x, opset=opset)
