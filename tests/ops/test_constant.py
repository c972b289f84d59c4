"""Operator Constant."""

import numpy as np
import opgraft
from onnx import helper, numpy_helper
from opgraft.testing import compare


def run_constant(**attributes):
    node = helper.make_node("Constant", [], ["y"], **attributes)
    graph = helper.make_graph([node], "g", [], [helper.make_tensor_value_info("y", 0, None)])
    graph.output[0].type.Clear()
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)
    return opgraft.InferenceSession(model.SerializeToString()).run(None, {})[0]


def test_constant_of_every_kind():
    for dtype in (np.float32, np.float64, np.float16, np.int8, np.int64, np.uint16, np.bool_):
        want = np.arange(6).reshape(2, 3).astype(dtype)
        compare(run_constant(value=numpy_helper.from_array(want)), want)
    compare(run_constant(value_int=7), np.array(7, np.int64))
    compare(run_constant(value_ints=[1, -2]), np.array([1, -2], np.int64))
    compare(run_constant(value_float=0.5), np.array(0.5, np.float32))
    compare(run_constant(value_floats=[0.5, 2.0]), np.array([0.5, 2], np.float32))
    assert run_constant(value_string="hello").item() == "hello"
    assert run_constant(value_strings=["a", "bc"]).tolist() == ["a", "bc"]
