"""Operators in Python: life of arrays, shapes from the body, exceptions across the engine."""

import gc
import sys

import numpy as np
import opgraft as og
import pytest
from onnx import TensorProto, helper
from opgraft.testing import run_node

sys.path.insert(0, str(__import__("pathlib").Path(__file__).parents[1]))
from models_by_hand import model, one_node  # noqa: E402

FLOAT = TensorProto.FLOAT
DOMAIN = "com.test.python"
kept = []


@og.op(f"{DOMAIN}::Keeps", T=[og.f32])
def keeps(x: "T") -> "T": ...


@keeps.kernel("cpu", og.f32)
def _(x, y):
    np.copyto(y, x)
    kept.extend([x, y[1:], x.reshape(-1)])


@og.op(f"{DOMAIN}::Gram", T=[og.f32])
def gram(x: "T") -> "T":
    return og.node("MatMul", x, og.node("Transpose", x, perm=[1, 0]))


@gram.kernel("cpu", og.f32)
def _(x, y):
    np.matmul(x, x.T, out=y)


class Refusal(ValueError):
    pass


@og.op(f"{DOMAIN}::Raises", T=[og.f32])
def raises(x: "T", *, kind: str) -> "T": ...


@raises.kernel("cpu", og.f32)
def _(x, y, *, kind):
    raise {"refusal": Refusal, "interrupt": KeyboardInterrupt, "exit": SystemExit}[kind](f"because {kind}")


def test_arrays_that_a_kernel_keeps_stay_readable():
    nodes = [
        helper.make_node("Exp", ["x"], ["a"]),
        helper.make_node("Keeps", ["a"], ["b"], domain=DOMAIN),
        helper.make_node("Keeps", ["b"], ["c"], domain=DOMAIN),
        helper.make_node("Neg", ["c"], ["y"]),
    ]
    made = model(nodes, [("x", FLOAT, ["N", 1024])], [("y", FLOAT, None)], domains=[(DOMAIN, 1)])
    session = og.InferenceSession(made)
    for rows in (3, 300, 2, 3000):
        x = np.full((rows, 1024), 0.5, np.float32)
        np.testing.assert_allclose(session.run(None, {"x": x})[0], -np.exp(x), rtol=1e-6)
    del session, x
    gc.collect()
    noise = [np.full(1 << 20, 7.0, np.float32) for _ in range(16)]  # takes freed memory, were there any
    for array in kept:
        assert np.isfinite(array.sum())
    assert len(kept) == 4 * 2 * 3 and len(noise) == 16
    # The first node's input of the last run was not written over: nothing ran after it in that arena.
    assert kept[-6].shape == (3000, 1024)
    kept.clear()


def test_memory_of_kept_arrays_is_given_back():
    session = og.InferenceSession(one_node("Keeps", DOMAIN, shape=("N", "M")))
    x = np.ones((1000, 1000), np.float32)
    session.run(None, {"x": x})
    before = session.memory()["arena_bytes"]
    for _ in range(3):
        session.run(None, {"x": x})
        kept.clear()
    assert session.memory()["arena_bytes"] <= before


def test_shapes_come_from_the_body_without_a_rule():
    session = og.InferenceSession(one_node("Gram", DOMAIN, shape=("N", 5)))
    assert session.get_outputs()[0].shape == ["N", "N"]
    for rows in (2, 7):
        x = np.random.default_rng(rows).normal(size=(rows, 5)).astype(np.float32)
        np.testing.assert_allclose(session.run(None, {"x": x})[0], x @ x.T, rtol=1e-5)


def test_an_exception_is_the_cause_of_the_error():
    session = og.InferenceSession(one_node("Raises", DOMAIN, kind="refusal", name="the_node"))
    with pytest.raises(og.Error, match="the_node") as caught:
        session.run(None, {"x": np.ones((2, 2), np.float32)})
    assert isinstance(caught.value.__cause__, Refusal)
    assert "because refusal" in str(caught.value) and "test_python_operators.py" in str(caught.value)
    with pytest.raises(og.Error) as other:  # another error of the thread has no cause
        session.run(None, {"nothing": np.ones(2, np.float32)})
    assert other.value.__cause__ is None


@pytest.mark.parametrize("kind, type", [("interrupt", KeyboardInterrupt), ("exit", SystemExit)])
def test_interrupts_pass_through(kind, type):
    session = og.InferenceSession(one_node("Raises", DOMAIN, kind=kind))
    with pytest.raises(type, match=f"because {kind}"):
        session.run(None, {"x": np.ones((2, 2), np.float32)})
    with pytest.raises(type):
        session.run(None, {"x": np.ones((2, 2), np.float32)})


@og.op(f"{DOMAIN}::Optionals", T=[og.f32])
def optionals(x: "T", a: og.Optional("T") = None, b: "T" = None, *, mode: str = "body") -> "T":
    return og.node("Add", x, a if b is None else b) if a is not None or b is not None else og.node("Neg", x)


@pytest.mark.parametrize("given, want", [((), -1), ((2,), 3), ((None, 5), 6), ((2, 5), 6)])
def test_omitted_inputs_are_none_wherever_they_stand(given, want):
    inputs = [np.ones(3, np.float32), *(None if v is None else np.full(3, v, np.float32) for v in given)]
    (y,) = run_node("Optionals", inputs, domain=DOMAIN)
    np.testing.assert_array_equal(y, np.full(3, want, np.float32))
