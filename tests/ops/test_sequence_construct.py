"""Operator SequenceConstruct."""

import numpy as np
from onnx import helper
from sequence_models import floats, run_graph


def test_sequence_construct():
    node = helper.make_node("SequenceConstruct", ["a", "b"], ["s"])
    (s,) = run_graph([node], {"a": floats(1, 2), "b": np.zeros((0, 3), np.float32)}, ["s"])
    assert [x.tolist() for x in s] == [[1, 2], []] and s[1].shape == (0, 3)
    (s,) = run_graph([node], {"a": np.array(["x"]), "b": np.array([["y", "z"]])}, ["s"])
    assert [x.tolist() for x in s] == [["x"], [["y", "z"]]]
