"""Operator StringSplit."""

import numpy as np
import pytest
from opgraft.testing import run_node


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
