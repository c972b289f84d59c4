"""LSTM: directions, states, peepholes, lengths, clipping, activations, layouts, any outputs, constant weights."""

import numpy as np
import opgraft
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import compare, run_node
from oracles import check_against_onnxruntime, node_model, run_model
from random_cases import ALL_FLOATS, check_case, draw_attrs, draw_opset, types_of
from recurrent_reference import make_inputs, recurrent

NAMES = ["x", "w", "r", "b", "lens", "h0", "c0", "p"]


def check(given, attrs, outputs=(0, 1, 2), dtype=np.float32, constants=(), tolerance=None):
    arrays = [given.get(name) for name in NAMES]
    while arrays[-1] is None:
        arrays.pop()
    attrs = dict(attrs, hidden_size=given["r"].shape[2])
    wide = {k: v.astype(np.float64) if v.dtype != np.int32 else v for k, v in given.items()}
    want = recurrent("LSTM", **wide, **{k: v for k, v in attrs.items() if k != "hidden_size"})
    model, feeds = node_model("LSTM", arrays, attrs, constants, 22, outputs)
    for got, index in zip(run_model(model, feeds), outputs, strict=True):
        compare(got, want[index].astype(dtype), tolerance, f"{attrs} output {index}")


@pytest.mark.parametrize("direction", ["forward", "reverse", "bidirectional"])
@pytest.mark.parametrize("layout", [0, 1])
@pytest.mark.parametrize("batch", [1, 3])
@pytest.mark.parametrize(
    "optional",
    [[], ["b"], ["b", "h0", "c0"], ["b", "lens", "h0", "c0", "p"], ["lens"], ["p"]],
)
def test_optional_inputs(direction, layout, batch, optional):
    given = make_inputs("LSTM", 7, batch, 5, 9, 2 if direction == "bidirectional" else 1, layout)
    given = {k: v for k, v in given.items() if k in ("x", "w", "r") or k in optional}
    for constants in ((), (1, 2, 3)):
        check(given, {"direction": direction, "layout": layout}, constants=constants)


@pytest.mark.parametrize("outputs", [(0,), (1,), (2,), (0, 2), (1, 2), (0, 1)])
def test_any_outputs(outputs):
    given = make_inputs("LSTM", 4, 2, 5, 8, 1)
    check(given, {}, outputs)


@pytest.mark.parametrize("dtype,tolerance", [(np.float64, 1e-12), (np.float16, 1e-2)])
def test_types(dtype, tolerance):
    given = make_inputs("LSTM", 5, 2, 4, 6, 2, dtype=dtype)
    check(given, {"direction": "bidirectional"}, dtype=dtype, tolerance=tolerance)


@pytest.mark.parametrize("attrs", [{"clip": 0.3}, {"input_forget": 1}, {"clip": 0.2, "input_forget": 1}])
def test_clip_and_coupled_gates(attrs):
    given = make_inputs("LSTM", 5, 2, 4, 6, 1)
    check(given, attrs)
    del given["p"]
    check(given, attrs)


@pytest.mark.parametrize(
    "attrs",
    [
        {"activations": ["HardSigmoid", "Relu", "Softsign"]},
        {
            "activations": ["HardSigmoid", "LeakyRelu", "ScaledTanh"],
            "activation_alpha": [0.3, 0.1, 1.5],
            "activation_beta": [0.4, 0.7],
        },
        {
            "activations": ["Sigmoid", "Elu", "Affine"],
            "activation_alpha": [0.5, 0.9],
            "activation_beta": [0.1],
        },
        {
            "activations": ["Sigmoid", "ThresholdedRelu", "Softplus"],
            "activation_alpha": [0.2],
        },
    ],
)
def test_activations(attrs):
    check(make_inputs("LSTM", 5, 2, 4, 6, 1), attrs)


def test_activations_per_direction():
    given = make_inputs("LSTM", 5, 2, 4, 6, 2)
    names = ["Sigmoid", "Tanh", "Tanh", "HardSigmoid", "Relu", "Tanh"]
    check(
        given,
        {"direction": "bidirectional", "activations": names, "activation_alpha": [0.3]},
    )


def test_one_step_of_a_stream():
    given = make_inputs("LSTM", 1, 1, 128, 128, 1)
    del given["lens"], given["p"]
    check(given, {}, constants=(1, 2, 3))


@pytest.mark.parametrize(
    "direction,opset",
    [("forward", 7), ("forward", 14), ("bidirectional", 7), ("bidirectional", 14)],
)
def test_against_onnxruntime(direction, opset):
    given = make_inputs("LSTM", 11, 3, 17, 32, 2 if direction == "bidirectional" else 1)
    given["lens"] = np.array([11, 3, 8], np.int32)
    arrays = [given.get(name) for name in NAMES]
    attrs = {"direction": direction, "hidden_size": 32}
    check_against_onnxruntime("LSTM", arrays, attrs, constants=(1, 2, 3, 7), opset=opset, outputs=3)


def test_no_steps_and_no_batch():
    given = make_inputs("LSTM", 2, 2, 4, 6, 1)
    for x in (np.zeros((0, 2, 4), np.float32), np.zeros((2, 0, 4), np.float32)):
        got = run_node("LSTM", [x, given["w"], given["r"]], {"hidden_size": 6}, outputs=3)
        assert [y.shape for y in got] == [
            (x.shape[0], 1, x.shape[1], 6),
            (1, x.shape[1], 6),
            (1, x.shape[1], 6),
        ]
        assert not got[1].any()


def test_errors():
    given = make_inputs("LSTM", 2, 2, 4, 6, 1)
    with pytest.raises(opgraft.Error, match=r"W has dims"):
        run_node(
            "LSTM",
            [given["x"], given["w"][:, :20], given["r"]],
            {"hidden_size": 6},
            outputs=1,
        )
    with pytest.raises(opgraft.Error, match=r"sequence_lens\[1\] = 9"):
        lens = np.array([1, 9], np.int32)
        run_node(
            "LSTM",
            [given["x"], given["w"], given["r"], None, lens],
            {"hidden_size": 6},
            outputs=1,
        )
    with pytest.raises(opgraft.Error, match="Swish"):
        names = ["Swish", "Tanh", "Tanh"]
        run_node(
            "LSTM",
            [given["x"], given["w"], given["r"]],
            {"hidden_size": 6, "activations": names},
            outputs=1,
        )


@given(st.data())
def test_random(data):
    opset = draw_opset(data, "LSTM", since=7)
    attrs = draw_attrs(data, direction=["forward", "reverse", "bidirectional"], clip=(0.125, 2.0), input_forget=[0, 1])
    if opset is None or opset >= 14:
        attrs |= draw_attrs(data, layout=[0, 1])
    steps, batch, size, hidden = (data.draw(st.sampled_from(sizes)) for sizes in ([1, 2, 5], [1, 2, 3, 5], [1, 3, 8, 17], [1, 2, 5, 8, 16, 17]))
    directions, dtype = 2 if attrs.get("direction") == "bidirectional" else 1, data.draw(st.sampled_from(types_of("LSTM", opset, ALL_FLOATS)))
    if data.draw(st.booleans()):
        names = ["Sigmoid", "Tanh", "Relu", "Softsign", "Softplus", "Elu"]
        attrs["activations"] = [data.draw(st.sampled_from(names)) for _ in range(3 * directions)]
    given = make_inputs("LSTM", steps, batch, size, hidden, directions, attrs.get("layout", 0), data.draw(st.integers(0, 99)), dtype)
    given = {k: v for k, v in given.items() if k in ("x", "w", "r") or data.draw(st.booleans(), label=k)}

    def reference(*arrays, hidden_size, **attrs):
        return recurrent("LSTM", *arrays, **attrs)

    inputs = [given.get(name) for name in NAMES]
    check_case(data, "LSTM", inputs, attrs | {"hidden_size": hidden}, reference, outputs=3, opset=opset)
