"""Operator Trilu."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import run_node
from random_more import check_moved, draw_moved


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


@given(st.data())
def test_random(data):
    x = draw_moved(data, "Trilu", min_rank=2)
    k, upper = data.draw(st.sampled_from([None, 0, 1, -1, 5, -5, 2**63 - 1, -(2**63)])), data.draw(st.integers(0, 1))

    def of(x, *_, **__):
        places = (np.triu if upper else np.tril)(np.arange(1, x.size + 1).reshape(x.shape), min(max(k or 0, -99), 99))
        return np.append(np.array(["" if x.dtype == object else 0]).astype(x.dtype), x.reshape(-1))[places]

    check_moved(data, "Trilu", [x, None if k is None else np.array(k, np.int64)], {"upper": upper}, of)
