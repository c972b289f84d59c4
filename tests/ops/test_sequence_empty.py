"""Operator SequenceEmpty."""

import numpy as np
import opgraft
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import helper
from random_cases import draw_shape
from random_more import draw_any, exact, types_of
from sequence_models import run_graph


def test_sequence_empty():
    nodes = [helper.make_node("SequenceEmpty", [], ["s"], dtype=7), helper.make_node("SequenceLength", ["s"], ["n"])]
    s, n = run_graph(nodes, {}, ["s", "n"])
    assert s == [] and n == 0 and n.dtype == np.int64


def test_type_must_be_known():
    with pytest.raises(opgraft.Error, match="dtype = 99 is not an element type"):
        run_graph([helper.make_node("SequenceEmpty", [], ["s"], dtype=99)], {}, ["s"])


@given(st.data())
def test_random(data):
    x = draw_any(data, draw_shape(data), data.draw(st.sampled_from(types_of("SequenceConstruct", every=True))))
    kind = 8 if x.dtype == object else helper.np_dtype_to_tensor_dtype(x.dtype)
    nodes = [helper.make_node("SequenceEmpty", [], ["e"], dtype=kind), helper.make_node("SequenceInsert", ["e", "x"], ["s"])]
    e, s = run_graph(nodes, {"x": x}, ["e", "s"])
    assert e == []
    exact(s, [x])
