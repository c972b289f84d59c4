"""Operator SequenceEmpty."""

import numpy as np
import opgraft
import pytest
from onnx import helper
from sequence_models import run_graph


def test_sequence_empty():
    nodes = [helper.make_node("SequenceEmpty", [], ["s"], dtype=7), helper.make_node("SequenceLength", ["s"], ["n"])]
    s, n = run_graph(nodes, {}, ["s", "n"])
    assert s == [] and n == 0 and n.dtype == np.int64


def test_type_must_be_known():
    with pytest.raises(opgraft.Error, match="dtype = 99 is not an element type"):
        run_graph([helper.make_node("SequenceEmpty", [], ["s"], dtype=99)], {}, ["s"])
