"""Operator SpaceToDepth."""

import numpy as np
import opgraft
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op, run_node
from random_cases import draw_shape
from random_more import SMALL, check_moved, draw_any, draw_opset, types_of


def reference(x, blocksize, mode):
    n, c, h, w = x.shape
    b = blocksize
    blocks = x.reshape(n, c, h // b, b, w // b, b)
    order = (0, 3, 5, 1, 2, 4) if mode == "DCR" else (0, 1, 3, 5, 2, 4)
    return blocks.transpose(order).reshape(n, c * b * b, h // b, w // b)


def test_space_to_depth():
    for dtype in (np.float32, np.int64, np.bool_, np.float16):
        x = np.random.default_rng(0).integers(0, 9, (2, 3, 4, 6)).astype(dtype)
        check_op("SpaceToDepth", inputs=[x], attrs={"blocksize": [2, 1], "mode": ["DCR", "CRD"]}, reference=reference)


def test_wrong_sizes():
    with pytest.raises(opgraft.Error, match="must be multiples of blocksize 2"):
        run_node("SpaceToDepth", [np.ones((1, 3, 3, 2), np.float32)], {"blocksize": 2})
    with pytest.raises(opgraft.Error, match="blocksize is 0"):
        run_node("SpaceToDepth", [np.ones((1, 4, 4, 4), np.float32)], {"blocksize": 0})


@given(st.data())
def test_random(data):
    opset = draw_opset(data, "SpaceToDepth")
    b = data.draw(st.integers(1, 3))
    n, c, h, w = draw_shape(data, 4, 4, SMALL)
    dtype = data.draw(st.sampled_from(types_of("SpaceToDepth", opset, every=True)), label="dtype")
    mode = data.draw(st.sampled_from(["DCR", "CRD"])) if opset is None else "DCR"
    x = draw_any(data, (n, c, h * b, w * b), dtype)

    def of(x, **_):
        blocks = x.reshape(n, c, h, b, w, b).transpose((0, 3, 5, 1, 2, 4) if mode == "DCR" else (0, 1, 3, 5, 2, 4))
        return blocks.reshape(n, c * b * b, h, w)

    check_moved(data, "SpaceToDepth", [x], {"blocksize": b} | ({"mode": mode} if opset is None else {}), of, opset=opset)
