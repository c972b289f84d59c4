"""Operator ArgMax."""

import numpy as np
from opgraft.testing import check_op


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
