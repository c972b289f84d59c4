"""Operator LogSoftmax."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op
from random_cases import ALL_FLOATS, check_case, draw_array, draw_attrs


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

    x = draw_array(data, ALL_FLOATS, min_rank=1)
    check_case(data, "LogSoftmax", [x], draw_attrs(data, axis=[*range(-x.ndim, x.ndim)]), any_size)
