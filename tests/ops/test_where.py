"""Operator Where."""

import numpy as np
from opgraft.testing import check_op


def test_where():
    rng = np.random.default_rng(0)
    for shapes in ([(2, 3)] * 3, [(13, 1), (17,), (13, 17)], [(1,), (4, 5), ()], [(0, 2), (2,), (2,)]):
        for dtype in (np.float32, np.float16, np.int64, np.uint8, np.bool_):
            condition = rng.integers(0, 2, shapes[0]).astype(bool)
            a, b = (rng.integers(0, 2, s).astype(dtype) for s in shapes[1:])
            check_op("Where", inputs=[condition, a, b], reference=np.where)


def test_where_of_strings():
    a, b = np.array(["x", "y"], object), np.array(["z"], object)
    check_op(
        "Where", inputs=[np.array([True, False]), a, b], reference=lambda c, a, b: np.where(c, a, b).astype(object)
    )


def test_where_with_every_mix_of_rows_and_scalars():
    rng = np.random.default_rng(0)
    shapes = [(5, 131), (131,), (5, 1), ()]
    for c in shapes:
        for a in shapes:
            for b in shapes:
                condition = rng.integers(0, 2, c).astype(bool)
                for dtype in (np.float32, np.int64):
                    inputs = [condition, rng.normal(0, 9, a).astype(dtype), rng.normal(0, 9, b).astype(dtype)]
                    check_op("Where", inputs=inputs, reference=np.where)
