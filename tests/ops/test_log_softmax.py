"""Operator LogSoftmax."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op
from random_cases import ALL_FLOATS, check_case, draw_array, draw_attrs, draw_opset, types_of


def reference(x, axis=-1):
    e = x - x.max(axis, keepdims=True)
    return e - np.log(np.exp(e).sum(axis, keepdims=True))


def test_log_softmax():
    shapes = [(2, 3), (13, 17), (4, 1), (2, 127)]
    check_op("LogSoftmax", shapes=shapes, dtypes=["f32", "f64", "f16"], attrs={"axis": [-1, 0]}, reference=reference)
    check_op("LogSoftmax", shapes=[(2, 3, 4)], attrs={"axis": [1]}, reference=reference)


def test_log_softmax_before_opset_13_flattens():
    def flat(x, axis=1):
        return reference(x.reshape(int(np.prod(x.shape[:axis])), -1)).reshape(x.shape)

    check_op("LogSoftmax", shapes=[(2, 3, 4)], attrs={"axis": [0, 1, 2]}, opset=11, reference=flat, body=False)
    check_op("LogSoftmax", shapes=[(2, 3, 4)], opset=9, reference=flat, body=False)


def test_log_softmax_with_large_values():
    check_op("LogSoftmax", inputs=[np.array([[1000.0, 999.0], [-1000.0, -1000.0]], np.float32)], reference=reference)


@given(st.data())
def test_random(data):
    def any_size(x, axis=-1):
        return reference(x, axis) if x.size else x

    opset = draw_opset(data, "LogSoftmax")
    x = draw_array(data, types_of("LogSoftmax", opset, ALL_FLOATS), min_rank=1)
    if opset and opset < 13:
        attrs = draw_attrs(data, axis=[*range(0, x.ndim)])
        shape = (int(np.prod(x.shape[: attrs.get("axis", 1)])), int(np.prod(x.shape[attrs.get("axis", 1) :])))
        return check_case(data, "LogSoftmax", [x], attrs, lambda x, **_: any_size(x.reshape(shape)).reshape(x.shape), opset=opset)
    check_case(data, "LogSoftmax", [x], draw_attrs(data, axis=[*range(-x.ndim, x.ndim)]), any_size)
