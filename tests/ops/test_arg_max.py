"""Operator ArgMax."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op
from random_cases import NUMBERS, check_case, draw_array, draw_attrs, draw_opset, types_of


def reference(x, axis=0, keepdims=1, select_last_index=0):
    if select_last_index:
        found = x.shape[axis] - 1 - np.flip(x, axis).argmax(axis)
    else:
        found = x.argmax(axis)
    return (np.expand_dims(found, axis) if keepdims else found).astype(np.int64)


def test_arg_max():
    attrs = {"axis": [0, 1, -1], "keepdims": [0, 1], "select_last_index": [0, 1]}
    check_op(
        "ArgMax",
        shapes=[(2, 3), (13, 17), (4, 1), (2, 3, 5)],
        dtypes=["f32", "i32", "u8"],
        attrs=attrs,
        reference=reference,
    )
    check_op("ArgMax", shapes=[(5,)], opset=11, reference=reference)


def test_arg_max_with_nan():
    check_op("ArgMax", inputs=[np.array([1, np.nan, 3, np.nan], np.float32)], reference=reference)


def test_arg_max_of_long_rows():
    rng = np.random.default_rng(0)
    for dtype in (np.float32, np.float64, np.int8, np.int64):
        x = rng.integers(-9, 9, (3, 301, 7)).astype(dtype)  # many equal ones
        check_op("ArgMax", inputs=[x], attrs={"axis": [0, 1, 2], "select_last_index": [0, 1]}, reference=reference)
        row = np.ascontiguousarray(x.transpose(0, 2, 1))
        check_op("ArgMax", inputs=[row], attrs={"axis": [-1], "select_last_index": [0, 1]}, reference=reference)
    nan = rng.normal(0, 1, (4, 200)).astype(np.float32)
    nan[0, [50, 120]] = nan[1, 199] = nan[2, 0] = np.nan
    check_op("ArgMax", inputs=[nan], attrs={"axis": [1]}, reference=reference)
    check_op("ArgMax", inputs=[np.ascontiguousarray(nan.T)], attrs={"axis": [0]}, reference=reference)


@given(st.data())
def test_random(data):
    opset = draw_opset(data, "ArgMax")
    x = draw_array(data, types_of("ArgMax", opset, NUMBERS), min_rank=1, min_size=1)
    attrs = draw_attrs(data, axis=[*range(-x.ndim, x.ndim)], keepdims=[0, 1], select_last_index=[0, 1])
    if opset and opset < 12:
        attrs.pop("select_last_index", None)
    check_case(data, "ArgMax", [x], attrs, reference, opset=opset)
