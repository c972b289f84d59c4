"""Operator NonZero."""

import numpy as np
import opgraft
from hypothesis import given
from hypothesis import strategies as st
from onnx import helper
from opgraft.testing import check_op, compare
from random_cases import check_case, draw_array, draw_values
from random_more import draw_opset, types_of


def test_non_zero():
    for dtype in (np.float32, np.int64, np.bool_, np.uint8):
        for shape in [(3, 4), (7,), (0, 2), (2, 3, 4)]:
            x = np.random.default_rng(0).integers(0, 2, shape).astype(dtype)
            check_op("NonZero", inputs=[x], reference=lambda x: np.array(np.nonzero(x), np.int64))


def test_what_follows_is_planned_by_the_shapes_that_came_out():
    nodes = [
        helper.make_node("NonZero", ["x"], ["i"]),
        helper.make_node("Transpose", ["i"], ["t"]),
        helper.make_node("Add", ["t", "t"], ["y"]),
    ]
    graph = helper.make_graph(
        nodes, "g", [helper.make_tensor_value_info("x", 1, ["N"])], [helper.make_tensor_value_info("y", 7, None)]
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)
    session = opgraft.InferenceSession(model.SerializeToString())
    for x in ([1, 0, 2, 0, 3], [0, 0], [1], [0, 5, 0, 5, 1], []):
        x = np.array(x, np.float32)
        compare(session.run(None, {"x": x})[0], 2 * np.array(np.nonzero(x), np.int64).T)


@given(st.data())
def test_random(data):
    opset = draw_opset(data, "NonZero")
    x = draw_array(data, types_of("NonZero", opset))
    x = x * draw_values(data, x.shape, np.bool_).astype(x.dtype)
    check_case(data, "NonZero", [x], None, lambda x: np.array(np.nonzero(x), np.int64) if x.ndim else np.zeros((0, int(x != 0)), np.int64), opset=opset)
