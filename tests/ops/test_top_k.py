"""Operator TopK."""

import numpy as np
from opgraft.testing import check_op


def reference(x, k, axis=-1, largest=1, sorted=1):
    order = np.argsort(-x if largest else x, axis, kind="stable")
    indices = np.take(order, range(int(k[0])), axis)
    return [np.take_along_axis(x, indices, axis), indices.astype(np.int64)]


def test_top_k():
    for shape, axis in [((3, 7), -1), ((3, 7), 0), ((2, 5, 4), 1), ((9,), 0)]:
        for k in (0, 1, 2):
            for dtype in (np.float32, np.float64, np.int32):
                x = np.random.default_rng(0).integers(-5, 5, shape).astype(dtype)  # with equal elements
                attrs = {"axis": [axis], "largest": [0, 1]}
                check_op("TopK", inputs=[x, np.array([k], np.int64)], attrs=attrs, outputs=2, reference=reference)


def test_top_k_with_attribute():
    x = np.array([[1.0, 5, 3], [4, 2, 6]], np.float32)
    check_op("TopK", inputs=[x], attrs={"k": [2]}, opset=9, outputs=2, reference=lambda x, k: reference(x, [k]))
