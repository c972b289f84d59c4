"""Operator Trilu."""

import numpy as np
from opgraft.testing import run_node


def test_trilu():
    for dtype in (np.float32, np.int64, np.bool_, np.float16):
        for shape in ((4, 5), (2, 3, 3), (0, 2, 3), (3, 0)):
            x = np.random.default_rng(0).integers(1, 9, shape).astype(dtype)
            for k in (None, -7, -1, 0, 2, 9):
                for upper in (0, 1):
                    given = None if k is None else np.array(k, np.int64)
                    (got,) = run_node("Trilu", [x, given], {"upper": upper})
                    np.testing.assert_array_equal(got, (np.triu if upper else np.tril)(x, k or 0))
    words = np.array([["a", "b"], ["c", "d"]], dtype=object)
    assert run_node("Trilu", [words], {"upper": 0})[0].tolist() == [["a", ""], ["c", "d"]]
