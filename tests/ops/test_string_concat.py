"""Operator StringConcat."""

import numpy as np
from opgraft.testing import run_node


def test_string_concat():
    x, y = np.array([["a"], ["é"]], dtype=object), np.array(["1", "", "日"], dtype=object)
    assert run_node("StringConcat", [x, y])[0].tolist() == [["a1", "a", "a日"], ["é1", "é", "é日"]]
    assert run_node("StringConcat", [np.zeros((0,), object), y[:1]])[0].shape == (0,)
