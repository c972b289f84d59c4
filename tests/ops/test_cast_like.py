"""Operator CastLike."""

import numpy as np
from opgraft.testing import compare, run_node


def test_cast_like():
    x = np.array([[1.5, -2.5]], np.float32)
    for dtype in (np.float64, np.float16, np.int32, np.int64):
        for bodies in (False, True):
            got = run_node("CastLike", [x, np.zeros(1, dtype)], prefer_bodies=bodies)[0]
            compare(got, x.astype(dtype))
