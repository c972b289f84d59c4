"""Operator Transpose."""

import itertools

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op, run_node
from random_more import check_moved, draw_moved, draw_opset


def test_transpose():
    for shape in [(2, 3), (13, 17), (2, 3, 4), (1, 5, 1), (0, 3), (2, 3, 4, 5), (127, 65)]:
        for perm in itertools.islice(itertools.permutations(range(len(shape))), 24):
            for dtype in (np.float32, np.float16, np.int64, np.uint8):
                x = np.arange(np.prod(shape)).astype(dtype).reshape(shape)
                check_op(
                    "Transpose", inputs=[x], attrs={"perm": [list(perm)]}, reference=lambda x, perm: x.transpose(perm)
                )


def test_transpose_reverses_without_perm():
    check_op("Transpose", shapes=[(2, 3, 4), (5,), ()], reference=lambda x: x.T)
    check_op("Transpose", inputs=[np.array([["a", "b"], ["c", "d"]], object)], reference=lambda x: x.T)


@pytest.mark.parametrize("dtype", [ml_dtypes.int4, ml_dtypes.uint4, ml_dtypes.int2, ml_dtypes.uint2], ids=lambda t: t.__name__)
def test_elements_smaller_than_a_byte(dtype):
    wide = np.random.default_rng(0).integers(0, 2, (3, 5, 7))
    x = wide.astype(dtype)
    got = run_node("Transpose", [x], {"perm": [2, 0, 1]})[0]
    assert got.dtype == dtype
    np.testing.assert_array_equal(got.astype(int), wide.transpose(2, 0, 1))


@given(st.data())
def test_random(data):
    opset = draw_opset(data, "Transpose")
    x = draw_moved(data, "Transpose", opset, max_rank=5)
    perm = list(data.draw(st.permutations(range(x.ndim))))
    check_moved(data, "Transpose", [x], {"perm": perm} if perm else {}, lambda x, perm=None: x.transpose(perm), opset=opset)
