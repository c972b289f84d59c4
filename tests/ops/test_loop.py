"""Operator Loop."""

import numpy as np
import opgraft
from hypothesis import given
from hypothesis import strategies as st
from onnx import TensorProto, helper
from opgraft.testing import compare
from random_cases import draw_shape, draw_values

FLOAT, BOOL, INT64 = TensorProto.FLOAT, TensorProto.BOOL, TensorProto.INT64
info = helper.make_tensor_value_info


def session(body_nodes, inputs, loop_inputs, body_inputs, body_outputs, outputs):
    body = helper.make_graph(
        body_nodes, "body", [info("i", INT64, []), info("go", BOOL, []), *body_inputs], body_outputs
    )
    node = helper.make_node("Loop", loop_inputs, [name for name, *_ in outputs], body=body)
    graph = helper.make_graph(
        [node], "g", [info(*v) for v in inputs], [info(name, kind, None) for name, kind in outputs]
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)
    return opgraft.InferenceSession(model.SerializeToString())


def test_loop_counts_carries_and_stacks():
    nodes = [
        helper.make_node("Identity", ["go"], ["go_on"]),
        helper.make_node("Add", ["a", "step"], ["b"]),
        helper.make_node("Mul", ["b", "b"], ["square"]),
    ]
    made = session(
        nodes,
        [("n", INT64, []), ("start", FLOAT, [2]), ("step", FLOAT, [2])],
        ["n", "", "start"],
        [info("a", FLOAT, [2])],
        [info("go_on", BOOL, []), info("b", FLOAT, [2]), info("square", FLOAT, [2])],
        [("last", FLOAT), ("squares", FLOAT)],
    )
    start, step = np.array([1, 2], np.float32), np.array([0.5, -1], np.float32)
    for trips in (3, 1, 0, 5):
        last, squares = made.run(None, {"n": np.array(trips), "start": start, "step": step})
        values = [start + step * (k + 1) for k in range(trips)]
        compare(last, values[-1] if values else start)
        compare(squares, np.array(values, np.float32).reshape(trips, 2) ** 2)


def test_loop_ends_by_its_condition():
    nodes = [
        helper.make_node("Add", ["a", "a"], ["b"]),
        helper.make_node("ReduceSum", ["b"], ["total"], keepdims=0),
        helper.make_node("Less", ["total", "limit"], ["go_on"]),
    ]
    made = session(
        nodes,
        [("start", FLOAT, ["N"]), ("limit", FLOAT, [])],
        ["", "", "start"],
        [info("a", FLOAT, None)],
        [info("go_on", BOOL, []), info("b", FLOAT, None)],
        [("last", FLOAT)],
    )
    got = made.run(None, {"start": np.ones(3, np.float32), "limit": np.float32(40)})[0]
    compare(got, np.full(3, 16, np.float32))


def test_loop_whose_state_grows():
    nodes = [helper.make_node("Identity", ["go"], ["go_on"]), helper.make_node("Concat", ["a", "a"], ["b"], axis=0)]
    made = session(
        nodes,
        [("n", INT64, []), ("start", FLOAT, ["N"])],
        ["n", "", "start"],
        [info("a", FLOAT, None)],
        [info("go_on", BOOL, []), info("b", FLOAT, None)],
        [("last", FLOAT)],
    )
    for trips in (0, 1, 4):
        start = np.arange(3).astype(np.float32)
        compare(made.run(None, {"n": np.array(trips), "start": start})[0], np.tile(start, 2**trips))


@given(st.data())
def test_random(data):
    nodes = [
        helper.make_node("Less", ["i", "last"], ["go_on"]),
        helper.make_node("Add", ["a", "step"], ["b"]),
        helper.make_node("Neg", ["b"], ["c"]),
    ]
    shape = draw_shape(data, max_rank=3)
    made = session(
        nodes,
        [("n", INT64, []), ("first", BOOL, []), ("last", INT64, []), ("start", FLOAT, shape), ("step", FLOAT, shape)],
        ["n", "first", "start"],
        [info("a", FLOAT, None)],
        [info("go_on", BOOL, []), info("b", FLOAT, None), info("c", FLOAT, None)],
        [("end", FLOAT), ("all", FLOAT)],
    )
    n, first, last = data.draw(st.integers(0, 5)), data.draw(st.booleans()), data.draw(st.integers(-1, 5))
    start, step = (draw_values(data, shape, np.float32, special=False) for _ in range(2))
    feeds = {"n": np.array(n), "first": np.array(first), "last": np.array(last), "start": start, "step": step}
    trips = min(n, max(last, 0) + 1) if first else 0
    want = [start]
    for _ in range(trips):
        want.append(want[-1] + step)
    for _ in range(2):
        end, stacked = made.run(None, feeds)
        compare(end, want[-1])
        compare(stacked, -np.array(want[1:], np.float32).reshape(trips, *shape))
