"""Operators Optional, OptionalHasElement and OptionalGetElement together."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from onnx import helper
from random_cases import draw_shape
from random_more import draw_any, exact, types_of
from sequence_models import SEQUENCE, floats, run_graph

TENSOR = helper.make_tensor_type_proto(1, None)


def test_full_and_empty():
    for value, kind in ((floats(1, 2), TENSOR), ([floats(1), floats(2)], SEQUENCE)):
        nodes = [
            helper.make_node("Optional", ["x"], ["o"]),
            helper.make_node("OptionalHasElement", ["o"], ["has"]),
            helper.make_node("OptionalGetElement", ["o"], ["y"]),
            helper.make_node("Optional", [], ["none"], type=kind),
            helper.make_node("OptionalHasElement", ["none"], ["has_none"]),
        ]
        has, y, o, none, has_none = run_graph(nodes, {"x": value}, ["has", "y", "o", "none", "has_none"], {"x": kind}, opset=28)
        assert has and not has_none and none is None
        for got in (y, o):
            assert np.array_equal(np.concatenate(got) if isinstance(value, list) else got, np.concatenate(value) if isinstance(value, list) else value)


def test_optional_inputs_of_models():
    kind = helper.make_optional_type_proto(TENSOR)
    node = helper.make_node("OptionalHasElement", ["o"], ["has"])
    for value in (floats(1), None):
        (has,) = run_graph([node], {"o": value}, ["has"], {"o": kind}, opset=28)
        assert has == (value is not None)


@given(st.data())
def test_random(data):
    x = draw_any(data, draw_shape(data), data.draw(st.sampled_from(types_of("Pad", 13, every=True))))
    nodes = [helper.make_node("Optional", ["x"], ["o"]), helper.make_node("OptionalHasElement", ["o"], ["has"]), helper.make_node("OptionalGetElement", ["o"], ["y"])]
    exact(run_graph(nodes, {"x": x}, ["o", "has", "y"], opset=data.draw(st.sampled_from([15, 18, 28]))), [x, np.array(True), x])
