"""Operator Softmax."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op
from random_cases import check_case, draw_array, draw_axis
from random_more import draw_opset, types_of


def reference(x, axis=-1):
    e = x - x.max(axis, keepdims=True)
    return np.exp(e) / np.exp(e).sum(axis, keepdims=True)


def test_softmax():
    shapes = [(2, 3), (13, 17), (4, 1), (2, 127)]
    check_op("Softmax", shapes=shapes, dtypes=["f32", "f64", "f16"], attrs={"axis": [-1, 0]}, reference=reference)
    check_op("Softmax", shapes=[(2, 3, 4)], attrs={"axis": [1]}, reference=reference)


def test_softmax_before_opset_13_flattens():
    def flat(x, axis=1):
        return reference(x.reshape(int(np.prod(x.shape[:axis])), -1)).reshape(x.shape)

    check_op("Softmax", shapes=[(2, 3, 4)], attrs={"axis": [0, 1, 2]}, opset=11, reference=flat, body=False)
    check_op("Softmax", shapes=[(2, 3, 4)], opset=9, reference=flat, body=False)


def test_softmax_with_large_values():
    check_op("Softmax", inputs=[np.array([[1000.0, 999.0], [-1000.0, -1000.0]], np.float32)], reference=reference)


def test_softmax_along_other_axes_and_of_short_rows():
    shapes = [(3, 7, 300), (300, 5), (2, 16, 2), (1000, 1), (513, 17)]
    check_op("Softmax", shapes=shapes, dtypes=["f32", "f64"], attrs={"axis": [0, 1, -1]}, reference=reference)


def test_softmax_of_masked_rows():
    x = np.array([[0, -np.inf, 1], [-np.inf] * 3, [np.nan, 0, 1], [np.inf, 0, 1]], np.float32)
    for rows in (x, np.repeat(x, 20, axis=1)):
        check_op("Softmax", inputs=[rows], reference=reference)
        check_op("Softmax", inputs=[np.ascontiguousarray(rows.T)], attrs={"axis": [0]}, reference=reference)


@given(st.data())
def test_random(data):
    opset = draw_opset(data, "Softmax")
    x = draw_array(data, types_of("Softmax", opset), min_rank=1)
    axis = draw_axis(data, x.ndim)
    axis = axis % x.ndim if opset and opset < 11 else axis

    def of(x, axis):
        if x.size == 0:
            return x
        flat = x.reshape(int(np.prod(x.shape[: axis % x.ndim])), -1) if opset and opset < 13 else x
        return reference(flat, -1 if flat is not x else axis).reshape(x.shape)

    check_case(data, "Softmax", [x], {"axis": axis}, of, opset=opset)
