"""Operator QLinearSoftmax of com.microsoft, against onnxruntime."""

import numpy as np
from quantised_cases import check, quantised


def test_axes_and_opsets():
    for axis, opset in ((-1, 13), (1, 13), (1, 11), (2, 12)):

        def make(rng, dtype):
            return [*quantised(rng, (3, 5, 7), dtype), np.float32(1 / 256), dtype(np.iinfo(dtype).min)]

        check("QLinearSoftmax", make, {"axis": axis, "opset": opset})
