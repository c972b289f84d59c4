"""Operator SequenceMap."""

import numpy as np
import opgraft
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import helper
from random_more import draw_sequence, exact
from sequence_models import SEQUENCE, floats, run_graph


def test_sequence_map():
    infos = [helper.make_tensor_value_info(name, 1, None) for name in ("a", "b", "c")]
    outputs = [helper.make_tensor_value_info(name, 1, None) for name in ("sum", "twice")]
    nodes = [helper.make_node("Sum", ["a", "b", "c"], ["sum"]), helper.make_node("Add", ["a", "a"], ["twice"])]
    body = helper.make_graph(nodes, "body", infos, outputs)
    node = helper.make_node("SequenceMap", ["s", "t", "x"], ["y", "z"], body=body)
    s, t, x = [floats(1), floats(2, 3)], [floats(10), floats(20)], floats(100)
    y, z = run_graph([node], {"s": s, "t": t, "x": x}, ["y", "z"], {"s": SEQUENCE, "t": SEQUENCE})
    assert [v.tolist() for v in y] == [[111], [122, 123]] and [v.tolist() for v in z] == [[2], [4, 6]]
    assert run_graph([node], {"s": [], "t": [], "x": x}, ["y", "z"], {"s": SEQUENCE, "t": SEQUENCE}) == [[], []]


def test_sequences_must_have_one_length():
    body = helper.make_graph(
        [helper.make_node("Add", ["a", "b"], ["c"])],
        "body",
        [helper.make_tensor_value_info(name, 1, None) for name in ("a", "b")],
        [helper.make_tensor_value_info("c", 1, None)],
    )
    node = helper.make_node("SequenceMap", ["s", "t"], ["y"], body=body)
    with pytest.raises(opgraft.Error, match="input 1 has 1 elements, input_sequence has 2"):
        run_graph([node], {"s": [floats(1), floats(2)], "t": [floats(1)]}, ["y"], {"s": SEQUENCE, "t": SEQUENCE})


@given(st.data())
def test_random(data):
    items = draw_sequence(data)
    infos = [[helper.make_tensor_value_info(name, 1, None) for name in names] for names in (("a", "x"), ("b", "c"))]
    body = helper.make_graph([helper.make_node("Neg", ["a"], ["b"]), helper.make_node("Add", ["a", "x"], ["c"])], "body", *infos)
    node = helper.make_node("SequenceMap", ["s", "x"], ["y", "z"], body=body)
    y, z = run_graph([node], {"s": items, "x": np.float32(3)}, ["y", "z"], {"s": SEQUENCE})
    exact(y, [-x for x in items])
    exact(z, [x + np.float32(3) for x in items])
