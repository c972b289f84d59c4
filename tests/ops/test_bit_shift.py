"""Operator BitShift."""

import numpy as np
import opgraft
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op, run_node
from random_cases import INTEGERS, check_case, draw_broadcast_shapes, draw_opset, draw_values, types_of


def reference(x, y, direction):
    bits = x.dtype.itemsize * 8
    x, y = np.broadcast_arrays(x, y)
    result = []
    for a, b in zip(x.reshape(-1).tolist(), y.reshape(-1).tolist(), strict=True):
        inside = 0 <= b < bits
        if direction == "LEFT":
            result.append((a << b) & ((1 << bits) - 1) if inside else 0)
        else:
            result.append((a >> b if inside else (-1 if a < 0 else 0)) & ((1 << bits) - 1))
    return np.array(result, np.dtype(f"u{bits // 8}")).view(x.dtype).reshape(x.shape)


def test_bit_shift():
    for dtype in (np.uint8, np.uint16, np.uint32, np.uint64, np.int8, np.int16, np.int32, np.int64):
        x = np.array([[1, 5, 100], [127, 3, 64]], dtype)
        y = np.array([0, 3, 9], dtype)
        inputs = [[x, y], [x, np.array(70, dtype)]]
        if np.dtype(dtype).kind == "i":
            inputs.append([-x, np.array([1, -1, 60], dtype)])
        for pair in inputs:
            check_op("BitShift", inputs=pair, attrs={"direction": ["LEFT", "RIGHT"]}, reference=reference)


def test_direction_must_be_known():
    with pytest.raises(opgraft.Error, match='direction is "UP", expected LEFT or RIGHT'):
        run_node("BitShift", [np.ones(2, np.uint8), np.ones(2, np.uint8)], {"direction": "UP"})


@given(st.data())
def test_random(data):
    opset = draw_opset(data, "BitShift")
    dtype = data.draw(st.sampled_from(types_of("BitShift", opset, INTEGERS)))
    x, y = (draw_values(data, shape, dtype) for shape in draw_broadcast_shapes(data, 2))
    attrs = {"direction": data.draw(st.sampled_from(["LEFT", "RIGHT"]))}
    check_case(data, "BitShift", [x, y], attrs, reference, opset=opset)
