"""Operator ReverseSequence."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op
from random_cases import draw_values
from random_more import check_moved, draw_moved, draw_opset


def reference(x, lengths, batch_axis=1, time_axis=0):
    y = np.moveaxis(x, (batch_axis, time_axis), (0, 1)).copy()
    for b, length in enumerate(lengths):
        y[b, :length] = y[b, :length][::-1]
    return np.moveaxis(y, (0, 1), (batch_axis, time_axis))


def test_reverse_sequence():
    for dtype in (np.float32, np.bool_, np.int64):
        x = np.random.default_rng(0).integers(0, 2, (4, 3, 5)).astype(dtype)
        check_op("ReverseSequence", inputs=[x, np.array([1, 4, 0], np.int64)], reference=reference)
        lengths = np.array([3, 2, 1, 0], np.int64)
        check_op(
            "ReverseSequence", inputs=[x, lengths], attrs={"batch_axis": [0], "time_axis": [1]}, reference=reference
        )


@given(st.data())
def test_random(data):
    opset = draw_opset(data, "ReverseSequence")
    x = draw_moved(data, "ReverseSequence", opset, min_rank=2)
    batch_axis = data.draw(st.integers(0, 1))
    lengths = draw_values(data, (x.shape[batch_axis],), np.int64, min(1, x.shape[1 - batch_axis]), x.shape[1 - batch_axis])
    check_moved(data, "ReverseSequence", [x, lengths], {"batch_axis": batch_axis, "time_axis": 1 - batch_axis}, reference, opset=opset)
