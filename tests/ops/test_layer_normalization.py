"""LayerNormalization: axes, broadcast scales, statistics as outputs."""

import numpy as np
import opgraft
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op, compare, run_node
from oracles import check_against_onnxruntime, node_model, run_model
from random_cases import ALL_FLOATS, check_case, draw_array, draw_attrs, draw_axis, draw_opset, draw_values


def layer_normalization(x, scale, b=None, axis=-1, epsilon=1e-5, **_):
    axes = tuple(range(axis % x.ndim, x.ndim))
    mean = x.mean(axis=axes, keepdims=True)
    inverse = 1 / np.sqrt(((x - mean) ** 2).mean(axis=axes, keepdims=True) + epsilon)
    y = (x - mean) * inverse * scale
    return (y if b is None else y + b), mean, inverse


def first(*arrays, **attrs):
    return layer_normalization(*arrays, **attrs)[0]


@pytest.mark.parametrize(
    "shapes,axis",
    [
        ([(3, 5, 17), (17,), (17,)], -1),
        ([(3, 5, 17), (17,)], 2),
        ([(3, 5, 17), (5, 17), (5, 17)], 1),
        ([(3, 5, 17), (17,), (5, 1)], 1),
        ([(3, 5, 17), (1,), (3, 1, 1)], 1),
        ([(3, 5, 17), (1, 1, 17), (1, 17)], -1),
        ([(2, 3, 4), (2, 3, 4), (2, 3, 4)], 0),
        ([(7, 768), (768,), (768,)], -1),
        ([(0, 5), (5,), (5,)], -1),
        ([(4, 1), (1,), (1,)], -1),
    ],
)
def test_values(shapes, axis):
    check_op(
        "LayerNormalization",
        shapes=[shapes],
        dtypes=["f32", "f64", "f16"],
        attrs={"axis": [axis]},
        reference=first,
    )


@pytest.mark.parametrize("outputs", [(0, 1, 2), (0, 1), (0, 2)])
def test_statistics(outputs):
    rng = np.random.default_rng(0)
    arrays = [rng.normal(size=s).astype(np.float32) for s in ((2, 3, 33), (33,), (33,))]
    want = layer_normalization(*[x.astype(np.float64) for x in arrays])
    model, feeds = node_model("LayerNormalization", arrays, {}, outputs=outputs)
    for got, index in zip(run_model(model, feeds), outputs, strict=True):
        compare(got, want[index].astype(np.float32))


def test_statistics_of_double_input_are_single():
    rng = np.random.default_rng(0)
    arrays = [rng.normal(size=s) for s in ((2, 3, 33), (33,), (33,))]
    got = run_node("LayerNormalization", arrays, outputs=3)
    assert [y.dtype for y in got] == [np.float64, np.float32, np.float32]
    compare(got[0], layer_normalization(*arrays)[0])


def test_large_mean():
    rng = np.random.default_rng(1)
    x = (rng.normal(size=(4, 256)) + 1000).astype(np.float32)
    ones, zeros = np.ones(256, np.float32), np.zeros(256, np.float32)
    compare(
        run_node("LayerNormalization", [x, ones, zeros])[0],
        first(x.astype(np.float64), ones, zeros).astype(np.float32),
    )


def test_constant_scale():
    rng = np.random.default_rng(2)
    arrays = [rng.normal(size=s).astype(np.float32) for s in ((2, 3, 33), (33,), (33,))]
    check_against_onnxruntime("LayerNormalization", arrays, constants=(1, 2), opset=17)


def test_wrong_scale():
    with pytest.raises(opgraft.Error, match=r"\[4\]"):
        run_node(
            "LayerNormalization",
            [np.zeros((2, 5), np.float32), np.zeros(4, np.float32)],
        )


@given(st.data())
def test_random(data):
    x = draw_array(data, ALL_FLOATS, min_rank=1, min_size=1, special=False)
    axis = draw_axis(data, x.ndim)
    inputs = [x]
    for _ in range(data.draw(st.integers(1, 2))):
        kept = x.shape[data.draw(st.integers(axis % x.ndim, x.ndim)) :]
        inputs.append(draw_values(data, tuple(data.draw(st.sampled_from([1, size, size])) for size in kept), x.dtype, special=False))
    attrs = {"axis": axis} | draw_attrs(data, epsilon=(0.0009765625, 0.5))
    outputs = data.draw(st.integers(1, 3))

    def reference(*arrays, **attrs):
        y, *statistics = layer_normalization(*arrays, **attrs)
        return [y, *(s.astype(np.float32) for s in statistics)][:outputs]

    opset = draw_opset(data, "LayerNormalization")
    check_case(data, "LayerNormalization", inputs, attrs, reference, outputs, opset, tolerance=2e-2 if x.dtype.itemsize == 2 else 1e-5)
