"""Operator If."""

import numpy as np
import opgraft
from hypothesis import given
from hypothesis import strategies as st
from onnx import TensorProto, helper
from opgraft.testing import compare
from random_cases import draw_values

FLOAT, BOOL = TensorProto.FLOAT, TensorProto.BOOL


def branch(name, nodes, output):
    return helper.make_graph(nodes, name, [], [helper.make_tensor_value_info(output, FLOAT, None)])


def session(then_nodes, else_nodes, extra=()):
    made = helper.make_node(
        "If", ["c"], ["b"], then_branch=branch("t", then_nodes, "t"), else_branch=branch("e", else_nodes, "e")
    )
    nodes = [helper.make_node("Relu", ["x"], ["r"]), made, *extra]
    inputs = [helper.make_tensor_value_info("c", BOOL, []), helper.make_tensor_value_info("x", FLOAT, ["N", 3])]
    output = extra[-1].output[0] if extra else "b"
    graph = helper.make_graph(nodes, "g", inputs, [helper.make_tensor_value_info(output, FLOAT, None)])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)
    return opgraft.InferenceSession(model.SerializeToString())


X = np.random.default_rng(0).normal(size=(4, 3)).astype(np.float32)


def test_if_uses_outer_values():
    made = session([helper.make_node("Neg", ["r"], ["t"])], [helper.make_node("Add", ["x", "r"], ["e"])])
    for _ in range(3):
        compare(made.run(None, {"c": np.array(True), "x": X})[0], -np.maximum(X, 0))
        compare(made.run(None, {"c": np.array(False), "x": X})[0], X + np.maximum(X, 0))


def test_if_with_branches_of_different_rank():
    flat = [helper.make_node("Flatten", ["x"], ["f"], axis=0), helper.make_node("Squeeze", ["f"], ["t"])]
    made = session(flat, [helper.make_node("Identity", ["x"], ["e"])], [helper.make_node("Exp", ["b"], ["y"])])
    for _ in range(2):
        compare(made.run(None, {"c": np.array(True), "x": X})[0], np.exp(X.reshape(-1)))
        compare(made.run(None, {"c": np.array(False), "x": X})[0], np.exp(X))
        compare(made.run(None, {"c": np.array(False), "x": X[:2]})[0], np.exp(X[:2]))


@given(st.data())
def test_random(data):
    rows, then = data.draw(st.integers(0, 9)), data.draw(st.booleans())
    functions = {"Neg": np.negative, "Abs": np.abs, "Identity": lambda x: x, "Floor": np.floor}
    names = [data.draw(st.sampled_from(sorted(functions))) for _ in range(2)]
    made = session([helper.make_node(names[0], ["r"], ["t"])], [helper.make_node(names[1], ["x"], ["e"])])
    x = draw_values(data, (rows, 3), np.float32)
    with np.errstate(all="ignore"):
        want = functions[names[0]](np.maximum(x, 0)) if then else functions[names[1]](x)
    compare(made.run(None, {"c": np.array(then), "x": x})[0], want)
