"""Operator Det."""

import numpy as np
import opgraft
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op, run_node
from random_cases import ALL_FLOATS, check_case, draw_opset, draw_shape, draw_values, types_of


def test_det():
    rng = np.random.default_rng(0)
    for dtype in (np.float32, np.float64):
        for shape in ((3, 3), (2, 4, 4), (1, 1), (0, 2, 2), (5, 0, 0)):
            check_op("Det", inputs=[rng.normal(size=shape).astype(dtype)], reference=np.linalg.det)
    check_op("Det", inputs=[np.zeros((3, 3), np.float32)], reference=np.linalg.det)


def test_matrices_must_be_square():
    with pytest.raises(opgraft.Error, match="matrices must be square, they are 2 by 3"):
        run_node("Det", [np.zeros((2, 3), np.float32)])


@given(st.data())
def test_random(data):
    opset = draw_opset(data, "Det")
    size = data.draw(st.integers(0, 6))
    dtype = data.draw(st.sampled_from(types_of("Det", opset, ALL_FLOATS)))
    x = draw_values(data, (*draw_shape(data, max_rank=2), size, size), dtype, special=False)
    x = x + (5 * np.eye(size)).astype(dtype)  # far from singular
    check_case(data, "Det", [x], None, np.linalg.det, opset=opset)
