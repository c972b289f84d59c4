"""RNN: directions, states, lengths, layouts, activations, constant weights."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import compare
from oracles import node_model, run_model
from recurrent_reference import make_inputs, recurrent

NAMES = ["x", "w", "r", "b", "lens", "h0"]


def check(given, attrs, outputs=(0, 1), dtype=np.float32, constants=(), tolerance=None):
    arrays = [given.get(name) for name in NAMES]
    while arrays[-1] is None:
        arrays.pop()
    wide = {k: v.astype(np.float64) if v.dtype != np.int32 else v for k, v in given.items()}
    want = recurrent("RNN", **wide, **attrs)
    attrs = dict(attrs, hidden_size=given["r"].shape[2])
    model, feeds = node_model("RNN", arrays, attrs, constants, 22, outputs)
    for got, index in zip(run_model(model, feeds), outputs, strict=True):
        compare(got, want[index].astype(dtype), tolerance, f"{attrs} output {index}")


@pytest.mark.parametrize("direction", ["forward", "reverse", "bidirectional"])
@pytest.mark.parametrize("layout", [0, 1])
@pytest.mark.parametrize("batch", [1, 3])
@pytest.mark.parametrize("optional", [[], ["b"], ["b", "lens", "h0"]])
def test_optional_inputs(direction, layout, batch, optional):
    given = make_inputs("RNN", 7, batch, 5, 9, 2 if direction == "bidirectional" else 1, layout)
    given = {k: v for k, v in given.items() if k in ("x", "w", "r") or k in optional}
    for constants in ((), (1, 2, 3)):
        check(given, {"direction": direction, "layout": layout}, constants=constants)


@pytest.mark.parametrize("outputs", [(0,), (1,)])
def test_any_outputs(outputs):
    check(make_inputs("RNN", 4, 2, 5, 8, 1), {}, outputs)


@pytest.mark.parametrize("dtype,tolerance", [(np.float64, 1e-12), (np.float16, 1e-2)])
def test_types(dtype, tolerance):
    check(
        make_inputs("RNN", 5, 2, 4, 6, 2, dtype=dtype),
        {"direction": "bidirectional"},
        dtype=dtype,
        tolerance=tolerance,
    )


def test_clip():
    check(make_inputs("RNN", 5, 2, 4, 6, 1), {"clip": 0.3})


def test_activations():
    check(
        make_inputs("RNN", 5, 2, 4, 6, 2),
        {
            "direction": "bidirectional",
            "activations": ["Relu", "Affine"],
            "activation_alpha": [0.5],
        },
    )


@given(st.data())
def test_random(data):
    direction, layout = data.draw(st.sampled_from(["forward", "reverse", "bidirectional"])), data.draw(st.integers(0, 1))
    sizes = [data.draw(st.integers(1, most), label="size") for most in (6, 4, 9, 17)]
    dtype = data.draw(st.sampled_from([np.float32, np.float64, np.float16]))
    directions = 2 if direction == "bidirectional" else 1
    given = make_inputs("RNN", *sizes, directions, layout, data.draw(st.integers(0, 99)), dtype)
    for name in data.draw(st.lists(st.sampled_from(["b", "lens", "h0"]), unique=True), label="left out"):
        del given[name]
    attrs = {"direction": direction, "layout": layout}
    if data.draw(st.booleans(), label="activations"):
        attrs["activations"] = [data.draw(st.sampled_from(["Tanh", "Relu", "Sigmoid", "Softsign", "Elu"])) for _ in range(directions)]
    if data.draw(st.booleans(), label="clip"):
        attrs["clip"] = 0.5
    check(given, attrs, dtype=dtype, constants=data.draw(st.sampled_from([(), (1, 2)])))
