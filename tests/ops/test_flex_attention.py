"""Operator FlexAttention, with and without graphs that change scores and probabilities."""

import ml_dtypes
import numpy as np
import opgraft
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import TensorProto, helper, numpy_helper
from opgraft.testing import compare
from random_cases import draw_values, in_memory

CODES = {np.dtype(np.float32): 1, np.dtype(np.float16): 10, np.dtype(np.float64): 11, np.dtype(ml_dtypes.bfloat16): 16}
TYPES = {code: dtype for dtype, code in CODES.items()}


def graph(code, nodes, constants=(), inputs=("s",)):
    made = [helper.make_tensor_value_info(name, code, None) for name in inputs]
    initializers = [numpy_helper.from_array(np.asarray(value, TYPES[code]), name) for name, value in constants]
    return helper.make_graph(nodes, "mod", made, [helper.make_tensor_value_info("t", code, None)], initializers)


# name -> (nodes, constants, the same in NumPy)
MODIFIERS = {
    "double": ([helper.make_node("Mul", ["s", "c"], ["t"])], [("c", 2.0)], lambda s: 2 * s),
    "cap": (
        [helper.make_node("Div", ["s", "c"], ["a"]), helper.make_node("Tanh", ["a"], ["b"]), helper.make_node("Mul", ["b", "c"], ["t"])],
        [("c", 0.5)],
        lambda s: 0.5 * np.tanh(s / 0.5),
    ),
    "identity": ([helper.make_node("Identity", ["s"], ["t"])], [], lambda s: s),
}


def model(arrays, attrs, domain_nodes=(), symbolic=False):
    names = ["q", "k", "v"]
    infos = [
        helper.make_tensor_value_info(name, CODES[x.dtype], [f"{name}{i}" for i in range(x.ndim)] if symbolic else x.shape)
        for name, x in zip(names, arrays)
    ]
    nodes = [*domain_nodes, helper.make_node("FlexAttention", names, ["y"], domain="ai.onnx.preview", **attrs)]
    made = helper.make_graph(nodes, "g", infos, [])
    made.output.add().name = "y"
    imports = [helper.make_opsetid("", 26), helper.make_opsetid("ai.onnx.preview", 1)]
    return helper.make_model(made, opset_imports=imports, ir_version=10).SerializeToString()


def run(arrays, attrs, symbolic=False, prefer_bodies=False, domain_nodes=()):
    options = opgraft.SessionOptions()
    options.prefer_bodies = prefer_bodies
    session = opgraft.InferenceSession(model(arrays, attrs, domain_nodes, symbolic), options)
    return session.run(None, dict(zip("qkv", arrays)))[0]


def flex_attention(q, k, v, scale=None, score=lambda s: s, prob=lambda p: p):
    q, k, v = (x.astype(np.float64) for x in (q, k, v))
    group = q.shape[1] // max(k.shape[1], 1)
    k, v = k.repeat(group, 1), v.repeat(group, 1)
    s = score(np.einsum("bhld,bhsd->bhls", q, k) * (1 / np.sqrt(q.shape[3]) if scale is None else scale))
    p = np.exp(s - s.max(-1, keepdims=True, initial=-np.inf))
    return prob(p / p.sum(-1, keepdims=True)) @ v


def arrays(heads=(4, 2), length=5, total=7, width=8, value_width=6, dtype=np.float32):
    rng = np.random.default_rng(0)
    shapes = [(2, heads[0], length, width), (2, heads[1], total, width), (2, heads[1], total, value_width)]
    return [rng.normal(size=shape).astype(dtype) for shape in shapes]


def check(inputs, score=None, prob=None, precision=None, scale=None, tolerance=None):
    code = precision or (11 if inputs[0].dtype == np.float64 else 1)
    attrs = {"score_mod": score, "prob_mod": prob}
    attrs = {name: graph(code, *MODIFIERS[which][:2]) for name, which in attrs.items() if which}
    if precision:
        attrs["softmax_precision"] = precision
    if scale is not None:
        attrs["scale"] = scale
    functions = [MODIFIERS[which or "identity"][2] for which in (score, prob)]
    want = flex_attention(*inputs, None if scale is None else float(np.float32(scale)), *functions).astype(inputs[0].dtype)
    for symbolic in (False, True):
        for prefer_bodies in (False, True):
            compare(run(inputs, attrs, symbolic, prefer_bodies), want, tolerance)


@pytest.mark.parametrize("heads", [(2, 2), (4, 2), (3, 1)])
@pytest.mark.parametrize("score", [None, "double", "cap"])
@pytest.mark.parametrize("prob", [None, "double"])
def test_modifiers(heads, score, prob):
    check(arrays(heads), score, prob)
    check(arrays(heads), score, prob, scale=0.25)


@pytest.mark.parametrize("dtype,tolerance", [(np.float64, 1e-12), (np.float16, 2e-3), (ml_dtypes.bfloat16, 2e-2)])
@pytest.mark.parametrize("score", [None, "cap"])
def test_types(dtype, tolerance, score):
    check(arrays(dtype=dtype), score, tolerance=tolerance)


@pytest.mark.parametrize("precision", [1, 10, 11, 16])
@pytest.mark.parametrize("score", [None, "cap"])
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_precision(precision, score, dtype):
    check(arrays(dtype=dtype), score, "identity", precision=precision, tolerance={10: 1e-2, 16: 4e-2}.get(precision, 2e-3 if dtype == np.float16 else 1e-5))


@pytest.mark.parametrize("zero", ["length", "width", "value_width"])
def test_sizes_of_zero(zero):
    check(arrays(**{zero: 0}), scale=1.0)
    check(arrays(**{zero: 0}), "double", "double", scale=1.0)


def test_modifier_that_uses_a_value_of_the_model():
    inputs = arrays()
    outer = [helper.make_node("ReduceMax", ["v"], ["largest"], keepdims=0)]
    score = graph(1, [helper.make_node("Mul", ["s", "largest"], ["t"])])
    want = flex_attention(*inputs, score=lambda s: s * inputs[2].max())
    compare(run(inputs, {"score_mod": score}, domain_nodes=outer), want.astype(np.float32))


def test_causal_mask():
    inputs = arrays(total=5)
    lower = np.tril(np.ones((5, 5), bool))
    score = graph(1, [helper.make_node("Trilu", ["ones"], ["lower"], upper=0), helper.make_node("Where", ["lower", "s", "nothing"], ["t"])], [("nothing", -np.inf)])
    score.initializer.append(numpy_helper.from_array(np.ones((5, 5), bool), "ones"))
    compare(run(inputs, {"score_mod": score}), flex_attention(*inputs, score=lambda s: np.where(lower, s, -np.inf)).astype(np.float32))


def test_errors():
    inputs = arrays()
    narrow = graph(1, [helper.make_node("ReduceMax", ["s"], ["t"])])
    other = helper.make_graph([helper.make_node("Cast", ["s"], ["t"], to=11)], "mod", [helper.make_tensor_value_info("s", 1, None)], [helper.make_tensor_value_info("t", TensorProto.DOUBLE, None)])
    for changed, attrs, text in [
        ([inputs[0][0], *inputs[1:]], {}, r"Q must be \[batch, heads, length, head size\], it has dims \[4,5,8\]"),
        ([inputs[0][:, :3], *inputs[1:]], {}, "3 query heads must be a multiple of the 2 heads"),
        ([inputs[0], inputs[1][:, :, :6], inputs[2]], {}, "the sequence lengths of K and V differ: 6 and 7"),
        ([inputs[0], inputs[1][..., :6], inputs[2]], {}, "the head sizes of Q and K differ: 8 and 6"),
        (inputs, {"softmax_precision": 7}, "softmax_precision = 7 must be 1"),
        (inputs, {"score_mod": narrow}, r"score_mod gives dims \[1,1,1,1\], it must keep \[2,4,5,7\]"),
        (inputs, {"prob_mod": other}, "prob_mod gives double, it must keep the type float"),
        (inputs, {"score_mod": graph(1, [helper.make_node("Add", ["s", "u"], ["t"])], inputs=("s", "u"))}, "score_mod"),
    ]:
        with pytest.raises(opgraft.Error, match=text):
            run([np.ascontiguousarray(x) for x in changed], attrs)


@given(st.data())
def test_random(data):
    def size(*sizes):
        return data.draw(st.sampled_from(sizes))

    batch, kv_heads, group, length, total = size(1, 2, 0), size(1, 2), size(1, 3), size(1, 0, 7, 33), size(1, 2, 16, 65)
    width, value_width = size(8, 1, 17), size(8, 1, 17, 0)
    dtype = data.draw(st.sampled_from([np.float32, np.float64, np.float16]))
    shapes = [(batch, kv_heads * group, length, width), (batch, kv_heads, total, width), (batch, kv_heads, total, value_width)]
    inputs = [in_memory(data, draw_values(data, shape, dtype, low=-1, high=1)) for shape in shapes]
    names = [None, *MODIFIERS]
    score, prob, scale = (data.draw(st.sampled_from(values)) for values in (names, names, [None, 0.5]))
    check(inputs, score, prob, scale=scale, tolerance={np.float32: 1e-5, np.float64: 1e-11, np.float16: 2e-3}[dtype])
