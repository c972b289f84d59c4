"""Operator Expand."""

import numpy as np
import opgraft
from hypothesis import given
from hypothesis import strategies as st
from onnx import helper, numpy_helper
from opgraft.testing import check_op
from random_cases import ANY, check_case, draw_broadcast_shapes, draw_opset, draw_values, types_of


def test_expand():
    for shape, to in [
        ((3, 1), (2, 1, 6)),
        ((1,), (4,)),
        ((2, 3), (2, 3)),
        ((3, 1), (3, 4)),
        ((), (2, 2)),
        ((1, 0), (5, 0)),
        ((5,), (1,)),
    ]:
        for dtype in (np.float32, np.bool_, np.int64):
            x = np.arange(np.prod(shape)).astype(dtype).reshape(shape)
            check_op("Expand", inputs=[x, np.array(to, np.int64)], reference=lambda x, to: x * np.ones(to, x.dtype))


def test_known_numbers_expanded_to_nothing():
    nodes = [
        helper.make_node("Expand", ["one", "none"], ["ones"]),
        helper.make_node("Concat", ["dims", "ones"], ["shape"], axis=0),
        helper.make_node("Reshape", ["x", "shape"], ["y"]),
    ]
    constants = [numpy_helper.from_array(np.array(v, np.int64), n) for n, v in (("one", [1]), ("none", [0]), ("dims", [6]))]
    infos = [helper.make_tensor_value_info("x", 1, [2, 3])]
    graph = helper.make_graph(nodes, "g", infos, [helper.make_tensor_value_info("y", 1, None)], constants)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10).SerializeToString()
    x = np.ones((2, 3), np.float32)
    assert opgraft.InferenceSession(made).run(None, {"x": x})[0].shape == (6,)


@given(st.data())
def test_random(data):
    opset = draw_opset(data, "Expand")
    dtype = data.draw(st.sampled_from(types_of("Expand", opset, ANY)))
    shape, to = draw_broadcast_shapes(data, 2)
    x = draw_values(data, shape, dtype)
    check_case(data, "Expand", [x, np.array(to, np.int64)], None, lambda x, to: np.broadcast_to(x, np.broadcast_shapes(x.shape, tuple(to))), opset=opset)
