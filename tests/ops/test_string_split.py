"""Operator StringSplit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import run_node
from random_cases import draw_shape
from random_more import check_moved


@pytest.mark.parametrize("delimiter", [None, "", ",", "ab"])
@pytest.mark.parametrize("most", [None, 0, 1, 3])
def test_string_split(delimiter, most):
    words = ["a,b,c", "", " x  y\tz ", ",,", "abxabyab", "   "]
    attrs = ({} if delimiter is None else {"delimiter": delimiter}) | ({} if most is None else {"maxsplit": most})
    y, n = run_node("StringSplit", [np.array(words, dtype=object)], attrs, outputs=2)
    want = [[] if not w and delimiter else w.split(delimiter or None, -1 if most is None else most) for w in words]
    widest = max(map(len, want))
    assert n.tolist() == [len(parts) for parts in want]
    assert y.tolist() == [parts + [""] * (widest - len(parts)) for parts in want]


@given(st.data())
def test_random(data):
    shape = draw_shape(data, 0, 2, [0, 1, 2, 3])
    texts = data.draw(st.lists(st.text("ab, \té", max_size=8), min_size=int(np.prod(shape)), max_size=int(np.prod(shape))))
    delimiter, most = data.draw(st.sampled_from([None, "", ",", "ab", "é"])), data.draw(st.sampled_from([None, 0, 1, 2]))
    attrs = ({} if delimiter is None else {"delimiter": delimiter}) | ({} if most is None else {"maxsplit": most})
    parts = [[] if not w and delimiter else w.split(delimiter or None, -1 if most is None else most) for w in texts]
    widest = max(map(len, parts), default=0)
    x, y = np.empty(shape, object), np.empty((len(texts), widest), object)
    x.reshape(-1)[:] = texts
    for i, row in enumerate(parts):
        y[i] = row + [""] * (widest - len(row))
    want = [y.reshape(*shape, widest), np.array([len(row) for row in parts], np.int64).reshape(shape)]
    check_moved(data, "StringSplit", [x], attrs, lambda *_, **__: want, outputs=2)
