"""Operator SequenceErase."""

import numpy as np
import opgraft
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import helper
from random_more import draw_sequence, exact
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


@given(st.data())
def test_random(data):
    items = draw_sequence(data) + [floats(1)]
    i = data.draw(st.integers(-len(items), len(items) - 1))
    (y,) = run_graph([helper.make_node("SequenceErase", ["s", "i"], ["y"])], {"s": items, "i": np.array(i)}, ["y"], {"s": SEQUENCE})
    del items[i]
    exact(y, items)
