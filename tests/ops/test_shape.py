"""Operator Shape."""

import numpy as np
from opgraft.testing import check_op


def test_shape():
    check_op(
        "Shape",
        shapes=[(2, 3, 4), (5,), (), (0, 3)],
        dtypes=["f32", "i64", "bool"],
        reference=lambda x: np.array(x.shape, np.int64),
    )


def test_shape_of_a_range():
    attrs = {"start": [0, 1, -2, 9], "end": [2, -1, 9]}
    check_op(
        "Shape", shapes=[(2, 3, 4)], attrs=attrs, reference=lambda x, start, end: np.array(x.shape[start:end], np.int64)
    )
