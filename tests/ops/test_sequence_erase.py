"""Operator SequenceErase."""

import numpy as np
import opgraft
import pytest
from onnx import helper
from sequence_models import SEQUENCE, floats, run_graph


def test_sequence_erase():
    items = [floats(1), floats(2, 3), floats()]
    for i in (-3, -1, 0, 1, 2, None):
        feeds = {"s": items} | ({} if i is None else {"i": np.array(i)})
        node = helper.make_node("SequenceErase", list(feeds), ["y"])
        (y,) = run_graph([node], feeds, ["y"], {"s": SEQUENCE})
        want = items.copy()
        del want[-1 if i is None else i]
        assert [x.tolist() for x in y] == [x.tolist() for x in want]


def test_nothing_to_erase():
    with pytest.raises(opgraft.Error, match="the sequence is empty"):
        run_graph([helper.make_node("SequenceErase", ["s"], ["y"])], {"s": []}, ["y"], {"s": SEQUENCE})
