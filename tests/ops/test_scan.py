"""Operator Scan."""

import numpy as np
import opgraft
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import helper
from random_cases import draw_axis, draw_shape
from random_more import SMALL, draw_whole, exact
from sequence_models import floats, run_graph


def scan(body_nodes, states, inputs, outputs, feeds, **attrs):
    """`states`, `inputs`, `outputs`: names within the body; states are carried as NAME -> NAME_next."""
    float_info = [helper.make_tensor_value_info(name, 1, None) for name in [*states, *inputs]]
    results = [helper.make_tensor_value_info(name, 1, None) for name in [*(f"{s}_next" for s in states), *outputs]]
    body = helper.make_graph(body_nodes, "body", float_info, results)
    finals = [f"out{i}" for i in range(len(results))]
    node = helper.make_node("Scan", list(feeds), finals, body=body, num_scan_inputs=len(inputs), **attrs)
    return run_graph([node], feeds, finals)


SUM = [helper.make_node("Add", ["s", "x"], ["s_next"]), helper.make_node("Identity", ["s_next"], ["y"])]


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("backwards", [0, 1])
@pytest.mark.parametrize("out_axis", [0, 1])
def test_running_sum(axis, backwards, out_axis):
    x = np.random.default_rng(0).normal(size=(4, 5, 6)).astype(np.float32)
    start = np.ones(np.delete(x.shape, axis), np.float32)
    final, y = scan(
        SUM, ["s"], ["x"], ["y"], {"s": start, "x": x},
        scan_input_axes=[axis], scan_input_directions=[backwards], scan_output_axes=[out_axis], scan_output_directions=[backwards],
    )
    moved = np.moveaxis(x, axis, 0)
    sums = np.cumsum(moved[::-1] if backwards else moved, 0, dtype=np.float64) + 1
    np.testing.assert_allclose(final, sums[-1], rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(y, np.moveaxis(sums[::-1] if backwards else sums, 0, out_axis), rtol=1e-5, atol=1e-5)


def test_no_slices():
    final, y = scan(SUM, ["s"], ["x"], ["y"], {"s": floats(1, 2), "x": np.zeros((0, 2), np.float32)})
    assert final.tolist() == [1, 2] and y.shape == (0, 2)


def test_inputs_must_have_as_many_slices():
    nodes = [helper.make_node("Add", ["a", "b"], ["y"])]
    with pytest.raises(opgraft.Error, match="slices"):
        scan(nodes, [], ["a", "b"], ["y"], {"a": floats(1, 2, 3), "b": floats(1, 2)})


@given(st.data())
def test_random(data):
    x = draw_whole(data, draw_shape(data, 1, 3, SMALL), np.float32)
    axis, backwards, turned = draw_axis(data, x.ndim), data.draw(st.integers(0, 1)), data.draw(st.integers(0, 1))
    out_axis = draw_axis(data, x.ndim)
    start = draw_whole(data, np.delete(x.shape, axis), np.float32)
    final, y = scan(
        SUM, ["s"], ["x"], ["y"], {"s": start, "x": x},
        scan_input_axes=[axis], scan_input_directions=[backwards], scan_output_axes=[out_axis], scan_output_directions=[turned],
    )
    moved = np.moveaxis(x, axis, 0)
    sums = np.cumsum(np.concatenate([start[None], moved[::-1] if backwards else moved]), 0, dtype=np.float32)
    exact([final, y], [sums[-1], np.moveaxis(sums[1:][::-1] if turned else sums[1:], 0, out_axis)])
