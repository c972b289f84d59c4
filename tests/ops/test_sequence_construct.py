"""Operator SequenceConstruct."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from onnx import helper
from random_more import draw_sequence, exact, types_of
from sequence_models import floats, run_graph


def test_sequence_construct():
    node = helper.make_node("SequenceConstruct", ["a", "b"], ["s"])
    (s,) = run_graph([node], {"a": floats(1, 2), "b": np.zeros((0, 3), np.float32)}, ["s"])
    assert [x.tolist() for x in s] == [[1, 2], []] and s[1].shape == (0, 3)
    (s,) = run_graph([node], {"a": np.array(["x"]), "b": np.array([["y", "z"]])}, ["s"])
    assert [x.tolist() for x in s] == [["x"], [["y", "z"]]]


@given(st.data())
def test_random(data):
    items = draw_sequence(data, data.draw(st.sampled_from(types_of("SequenceConstruct", every=True)))) or [floats(1)]
    feeds = {f"x{i}": x for i, x in enumerate(items)}
    (s,) = run_graph([helper.make_node("SequenceConstruct", list(feeds), ["s"])], feeds, ["s"])
    exact(s, items)
