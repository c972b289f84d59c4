"""Operator DepthToSpace."""

import numpy as np
import opgraft
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op, run_node
from random_cases import ANY, check_case, draw_attrs, draw_opset, draw_values, types_of


def reference(x, blocksize, mode):
    n, c, h, w = x.shape
    b = blocksize
    if mode == "DCR":
        return x.reshape(n, b, b, c // b // b, h, w).transpose(0, 3, 4, 1, 5, 2).reshape(n, c // b // b, h * b, w * b)
    return x.reshape(n, c // b // b, b, b, h, w).transpose(0, 1, 4, 2, 5, 3).reshape(n, c // b // b, h * b, w * b)


def test_depth_to_space():
    for dtype in (np.float32, np.int64, np.bool_, np.float16):
        x = np.random.default_rng(0).integers(0, 9, (2, 12, 3, 4)).astype(dtype)
        check_op("DepthToSpace", inputs=[x], attrs={"blocksize": [2, 1], "mode": ["DCR", "CRD"]}, reference=reference)


def test_wrong_sizes():
    with pytest.raises(opgraft.Error, match="3 channels are no multiple"):
        run_node("DepthToSpace", [np.ones((1, 3, 2, 2), np.float32)], {"blocksize": 2})
    with pytest.raises(opgraft.Error, match="blocksize is 0"):
        run_node("DepthToSpace", [np.ones((1, 4, 4, 4), np.float32)], {"blocksize": 0})


@given(st.data())
def test_random(data):
    opset = draw_opset(data, "DepthToSpace", since=11)
    n, c, h, w = (data.draw(st.integers(0, 4)) for _ in range(4))
    b = data.draw(st.integers(1, 3))
    dtype = data.draw(st.sampled_from(types_of("DepthToSpace", opset, ANY)))
    attrs = {"blocksize": b} | draw_attrs(data, mode=["DCR", "CRD"])
    x = draw_values(data, (n, c * b * b, h, w), dtype)
    check_case(data, "DepthToSpace", [x], attrs, lambda x, blocksize, mode="DCR": reference(x, blocksize, mode), opset=opset)
