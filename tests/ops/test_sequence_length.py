"""Operator SequenceLength."""

import numpy as np
from onnx import helper
from sequence_models import SEQUENCE, floats, run_graph


def test_sequence_length():
    for items in ([], [floats(1)], [floats(1), floats()]):
        (n,) = run_graph([helper.make_node("SequenceLength", ["s"], ["n"])], {"s": items}, ["n"], {"s": SEQUENCE})
        assert n == len(items) and n.dtype == np.int64 and n.shape == ()
