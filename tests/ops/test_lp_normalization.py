"""Operator LpNormalization."""

import numpy as np
import opgraft
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op, run_node
from random_cases import ALL_FLOATS, check_case, draw_array, draw_attrs, draw_opset, types_of


def reference(x, axis, p):
    norm = np.abs(x).sum(axis, keepdims=True) if p == 1 else np.sqrt((x * x).sum(axis, keepdims=True))
    return np.divide(x, norm, out=np.zeros_like(x), where=norm != 0)


def test_lp_normalization():
    check_op("LpNormalization", shapes=[(3, 4, 5), (7,)], dtypes=["f32", "f64", "f16"], attrs={"axis": [-1, 0], "p": [1, 2]}, reference=reference)
    check_op("LpNormalization", inputs=[np.zeros((2, 3), np.float32)], attrs={"axis": [0], "p": [2]}, reference=reference)


def test_other_norms_are_refused():
    with pytest.raises(opgraft.Error, match="p is 3, expected 1 or 2"):
        run_node("LpNormalization", [np.ones((2, 2), np.float32)], {"p": 3})


@given(st.data())
def test_random(data):
    opset = draw_opset(data, "LpNormalization")
    x = draw_array(data, types_of("LpNormalization", opset, ALL_FLOATS), min_rank=1, special=False)
    attrs = draw_attrs(data, axis=[*range(-x.ndim, x.ndim)], p=[1, 2])
    check_case(data, "LpNormalization", [x], attrs, lambda x, axis=-1, p=2: reference(x, axis, p), opset=opset)
