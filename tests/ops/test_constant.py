"""Operator Constant."""

import numpy as np
import opgraft
from hypothesis import given
from hypothesis import strategies as st
from onnx import helper, numpy_helper
from opgraft.testing import compare
from random_cases import WHOLE_BYTES, draw_array


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


@given(st.data())
def test_random(data):
    x = draw_array(data, WHOLE_BYTES)
    compare(run_constant(value=helper.make_tensor("v", helper.np_dtype_to_tensor_dtype(x.dtype), x.shape, x.tobytes(), raw=True)), x)
    whole = data.draw(st.lists(st.integers(-(2**63), 2**63 - 1), max_size=20))
    if whole:
        compare(run_constant(value_ints=whole), np.array(whole, np.int64))
