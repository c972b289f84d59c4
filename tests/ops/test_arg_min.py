"""Operator ArgMin."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op
from random_cases import NUMBERS, check_case, draw_array, draw_attrs, draw_opset, types_of


def reference(x, axis=0, keepdims=1, select_last_index=0):
    if select_last_index:
        found = x.shape[axis] - 1 - np.flip(x, axis).argmin(axis)
    else:
        found = x.argmin(axis)
    return (np.expand_dims(found, axis) if keepdims else found).astype(np.int64)


def test_arg_min():
    attrs = {"axis": [0, 1, -1], "keepdims": [0, 1], "select_last_index": [0, 1]}
    check_op(
        "ArgMin",
        shapes=[(2, 3), (13, 17), (4, 1), (2, 3, 5)],
        dtypes=["f32", "i32", "u8"],
        attrs=attrs,
        reference=reference,
    )
    check_op("ArgMin", shapes=[(5,)], opset=11, reference=reference)


def test_arg_min_with_nan():
    check_op("ArgMin", inputs=[np.array([1, np.nan, 3, np.nan], np.float32)], reference=reference)


@given(st.data())
def test_random(data):
    opset = draw_opset(data, "ArgMin")
    x = draw_array(data, types_of("ArgMin", opset, NUMBERS), min_rank=1, min_size=1)
    attrs = draw_attrs(data, axis=[*range(-x.ndim, x.ndim)], keepdims=[0, 1], select_last_index=[0, 1])
    if opset and opset < 12:
        attrs.pop("select_last_index", None)
    check_case(data, "ArgMin", [x], attrs, reference, opset=opset)
