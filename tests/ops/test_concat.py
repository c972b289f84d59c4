"""Operator Concat."""

import numpy as np
from opgraft.testing import check_op


def test_concat():
    for shapes, axis in [
        ([(2, 3), (2, 4)], 1),
        ([(2, 3), (1, 3), (4, 3)], 0),
        ([(2, 3, 4)] * 2, -1),
        ([(5,)], 0),
        ([(0, 3), (2, 3)], 0),
    ]:
        for dtype in (np.float32, np.int64, np.float16, np.bool_):
            arrays = [np.arange(np.prod(s)).astype(dtype).reshape(s) for s in shapes]
            check_op(
                "Concat", inputs=arrays, attrs={"axis": [axis]}, reference=lambda *xs, axis: np.concatenate(xs, axis)
            )


def test_concat_of_strings():
    arrays = [np.array([["a"], ["b"]], object), np.array([["c", "d"], ["e", "f"]], object)]
    check_op("Concat", inputs=arrays, attrs={"axis": [1]}, reference=lambda *xs, axis: np.concatenate(xs, axis))
