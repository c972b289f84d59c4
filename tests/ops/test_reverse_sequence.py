"""Operator ReverseSequence."""

import numpy as np
from opgraft.testing import check_op


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
