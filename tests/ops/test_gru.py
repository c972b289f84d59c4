"""GRU: directions, states, lengths, layouts, activations, constant weights."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import compare
from oracles import node_model, run_model
from random_cases import ALL_FLOATS, check_case, draw_attrs, draw_opset, types_of
from recurrent_reference import make_inputs, recurrent

NAMES = ["x", "w", "r", "b", "lens", "h0"]


def check(given, attrs, outputs=(0, 1), dtype=np.float32, constants=(), tolerance=None):
    arrays = [given.get(name) for name in NAMES]
    while arrays[-1] is None:
        arrays.pop()
    wide = {k: v.astype(np.float64) if v.dtype != np.int32 else v for k, v in given.items()}
    want = recurrent("GRU", **wide, **attrs)
    attrs = dict(attrs, hidden_size=given["r"].shape[2])
    model, feeds = node_model("GRU", arrays, attrs, constants, 22, outputs)
    for got, index in zip(run_model(model, feeds), outputs, strict=True):
        compare(got, want[index].astype(dtype), tolerance, f"{attrs} output {index}")


@pytest.mark.parametrize("direction", ["forward", "reverse", "bidirectional"])
@pytest.mark.parametrize("layout", [0, 1])
@pytest.mark.parametrize("batch", [1, 3])
@pytest.mark.parametrize("optional", [[], ["b"], ["b", "lens", "h0"]])
def test_optional_inputs(direction, layout, batch, optional):
    given = make_inputs("GRU", 7, batch, 5, 9, 2 if direction == "bidirectional" else 1, layout)
    given = {k: v for k, v in given.items() if k in ("x", "w", "r") or k in optional}
    for constants in ((), (1, 2, 3)):
        check(given, {"direction": direction, "layout": layout}, constants=constants)


@pytest.mark.parametrize("outputs", [(0,), (1,)])
def test_any_outputs(outputs):
    check(make_inputs("GRU", 4, 2, 5, 8, 1), {}, outputs)


@pytest.mark.parametrize("dtype,tolerance", [(np.float64, 1e-12), (np.float16, 1e-2)])
def test_types(dtype, tolerance):
    check(
        make_inputs("GRU", 5, 2, 4, 6, 2, dtype=dtype),
        {"direction": "bidirectional"},
        dtype=dtype,
        tolerance=tolerance,
    )


def test_clip():
    check(make_inputs("GRU", 5, 2, 4, 6, 1), {"clip": 0.3})


@pytest.mark.parametrize("batch", [1, 3])
def test_linear_before_reset(batch):
    given = make_inputs("GRU", 5, batch, 4, 6, 2)
    check(given, {"direction": "bidirectional", "linear_before_reset": 1})
    del given["b"]
    check(
        given,
        {"direction": "bidirectional", "linear_before_reset": 1},
        constants=(1, 2),
    )


def test_activations():
    attrs = {
        "activations": ["HardSigmoid", "LeakyRelu"],
        "activation_alpha": [0.3, 0.1],
        "activation_beta": [0.4],
    }
    check(make_inputs("GRU", 5, 2, 4, 6, 1), attrs)


@given(st.data())
def test_random(data):
    opset = draw_opset(data, "GRU", since=7)
    attrs = draw_attrs(data, direction=["forward", "reverse", "bidirectional"], clip=(0.125, 2.0), linear_before_reset=[0, 1])
    if opset is None or opset >= 14:
        attrs |= draw_attrs(data, layout=[0, 1])
    steps, batch, size, hidden = (data.draw(st.sampled_from(sizes)) for sizes in ([1, 2, 5], [1, 2, 3, 5], [1, 3, 8, 17], [1, 2, 5, 8, 16, 17]))
    directions, dtype = 2 if attrs.get("direction") == "bidirectional" else 1, data.draw(st.sampled_from(types_of("GRU", opset, ALL_FLOATS)))
    if data.draw(st.booleans()):
        names = ["Sigmoid", "Tanh", "Relu", "Softsign", "Softplus", "Elu"]
        attrs["activations"] = [data.draw(st.sampled_from(names)) for _ in range(2 * directions)]
    given = make_inputs("GRU", steps, batch, size, hidden, directions, attrs.get("layout", 0), data.draw(st.integers(0, 99)), dtype)
    given = {k: v for k, v in given.items() if k in ("x", "w", "r") or data.draw(st.booleans(), label=k)}

    def reference(*arrays, hidden_size, **attrs):
        return recurrent("GRU", *arrays, **attrs)

    inputs = [given.get(name) for name in NAMES]
    check_case(data, "GRU", inputs, attrs | {"hidden_size": hidden}, reference, outputs=2, opset=opset)
