"""Operator SequenceLength."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from onnx import helper
from random_more import draw_sequence, exact
from sequence_models import SEQUENCE, floats, run_graph


def test_sequence_length():
    for items in ([], [floats(1)], [floats(1), floats()]):
        (n,) = run_graph([helper.make_node("SequenceLength", ["s"], ["n"])], {"s": items}, ["n"], {"s": SEQUENCE})
        assert n == len(items) and n.dtype == np.int64 and n.shape == ()


@given(st.data())
def test_random(data):
    items = draw_sequence(data, most=9)
    exact(run_graph([helper.make_node("SequenceLength", ["s"], ["n"])], {"s": items}, ["n"], {"s": SEQUENCE}), [np.array(len(items))])
