"""Operator LinearAttention: the recurrence token by token in NumPy."""

import ml_dtypes
import numpy as np
import opgraft
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op, compare, run_node
from random_cases import check_case, draw_values

RULES = ["linear", "gated", "delta", "gated_delta"]


def linear_attention(query, key, value, past=None, decay=None, beta=None, *, q_num_heads, kv_num_heads, update_rule="gated_delta", scale=0.0, chunk_size=64):
    batch, length = query.shape[:2]
    width, value_width = query.shape[2] // q_num_heads, value.shape[2] // kv_num_heads
    state = np.zeros((batch, kv_num_heads, width, value_width)) if past is None else past.astype(np.float64)
    y = np.zeros((batch, length, q_num_heads, value_width))
    group = q_num_heads // kv_num_heads
    for b, t, h in np.ndindex(batch, length, kv_num_heads):
        k = key[b, t].reshape(kv_num_heads, width)[h]
        v = value[b, t].reshape(kv_num_heads, value_width)[h]
        s = state[b, h]
        if decay is not None:
            s *= np.exp(decay[b, t].reshape(kv_num_heads, -1)[h])[:, None]
        if beta is not None:
            v = beta[b, t, h if beta.shape[2] > 1 else 0] * (v - s.T @ k)
        s += np.outer(k, v)
        for g in range(group):
            q = query[b, t].reshape(q_num_heads, width)[h * group + g]
            y[b, t, h * group + g] = s.T @ q * (scale or 1 / np.sqrt(max(width, 1)))
    return y.reshape(batch, length, q_num_heads * value_width), state


def make(rule, batch=2, length=5, q_heads=2, heads=2, width=8, value_width=8, dtype=np.float32, past=False, decay_wide=True, beta_wide=True, seed=0):
    rng = np.random.default_rng(seed)

    def array(*shape):
        return rng.uniform(-0.5, 0.5, shape).astype(dtype)

    inputs = [array(batch, length, q_heads * width), array(batch, length, heads * width), array(batch, length, heads * value_width)]
    inputs.append(array(batch, heads, width, value_width) if past else None)
    inputs.append(-np.abs(array(batch, length, heads * (width if decay_wide else 1))) if "gated" in rule else None)
    inputs.append(np.abs(array(batch, length, heads if beta_wide else 1)) if "delta" in rule else None)
    while inputs[-1] is None:
        inputs.pop()
    return inputs, {"q_num_heads": q_heads, "kv_num_heads": heads, "update_rule": rule}


def check(inputs, attrs, **options):
    check_op("LinearAttention", inputs, attrs={k: [v] for k, v in attrs.items()}, reference=linear_attention, outputs=2, **options)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("heads", [(2, 2), (6, 2), (3, 1)])
@pytest.mark.parametrize("past", [False, True])
def test_rules(rule, heads, past):
    check(*make(rule, q_heads=heads[0], heads=heads[1], past=past))
    check(*make(rule, q_heads=heads[0], heads=heads[1], past=past, decay_wide=False, beta_wide=False))


@pytest.mark.parametrize("width,value_width", [(1, 1), (3, 17), (16, 33), (20, 64), (7, 130)])
@pytest.mark.parametrize("length", [1, 40])
def test_sizes(width, value_width, length):
    check(*make("gated_delta", width=width, value_width=value_width, length=length, past=True))


@pytest.mark.parametrize("zero", ["batch", "length", "width", "value_width"])
def test_sizes_of_zero(zero):
    check(*make("linear", past=True, **{zero: 0}))


@pytest.mark.parametrize("dtype,tolerance", [(np.float16, 5e-3), (ml_dtypes.bfloat16, 3e-2)])
def test_halves(dtype, tolerance):
    inputs, attrs = make("gated_delta", dtype=dtype, past=True)
    check(inputs, attrs, tolerance=tolerance)
    inputs[3] = inputs[3].astype(np.float32)
    got = run_node("LinearAttention", inputs, attrs, outputs=2)
    assert [x.dtype for x in got] == [dtype, np.float32]
    want = linear_attention(*(x.astype(np.float64) for x in inputs), **attrs)
    compare(got[1], want[1].astype(np.float32), 1e-5)


def test_scale_and_steps():
    inputs, attrs = make("gated_delta", length=6)
    check(inputs, attrs | {"scale": 0.3, "chunk_size": 2})
    whole = run_node("LinearAttention", inputs, attrs, outputs=2)
    state, rows = None, []
    for t in range(6):
        part = [None if x is None else x[:, t : t + 1] for x in inputs]
        part[3] = state
        y, state = run_node("LinearAttention", part, attrs, outputs=2)
        rows.append(y)
    compare(np.concatenate(rows, 1), whole[0])
    compare(state, whole[1])


@pytest.mark.parametrize(
    "rule,change,attrs,text",
    [
        ("linear", {}, {"update_rule": "fast"}, 'update_rule = "fast" must be linear, gated, delta or gated_delta'),
        ("linear", {}, {"update_rule": "gated"}, "update_rule gated needs the input decay"),
        ("delta", {}, {"update_rule": "linear"}, "update_rule linear has no use for the input beta"),
        ("linear", {}, {"q_num_heads": 3}, "q_num_heads = 3 must be a positive multiple of kv_num_heads = 2"),
        ("linear", {}, {"kv_num_heads": 0}, "positive multiple of kv_num_heads = 0"),
        ("linear", {0: (2, 5, 15)}, {}, "the last axis of query, 15, does not divide into 2 heads"),
        ("linear", {0: (2, 5)}, {}, r"query must have 3 axes, it has dims \["),
        ("linear", {1: (2, 4, 16)}, {}, "the lengths of query and key differ: 5 and 4"),
        ("linear", {2: (3, 5, 16)}, {}, "the batch sizes of query and value differ: 2 and 3"),
        ("linear", {1: (2, 5, 18)}, {}, "the head sizes of query and key differ: 8 and 9"),
        ("linear", {3: (2, 2, 8, 7)}, {}, "the head sizes of value and past_state differ: 8 and 7"),
        ("linear", {3: (2, 1, 8, 8)}, {}, "kv_num_heads and the heads of past_state differ: 2 and 1"),
        ("linear", {3: (2, 2, 8)}, {}, "past_state must have 4 axes"),
        ("gated", {4: (2, 5, 4)}, {}, "the last axis of decay, 4, must be kv_num_heads = 2 or that times the head size 8"),
        ("gated", {4: (2, 5, 3)}, {}, "decay, 3"),
        ("delta", {5: (2, 5, 3)}, {}, "the last axis of beta, 3, must be 1 or kv_num_heads = 2"),
    ],
)
def test_errors(rule, change, attrs, text):
    inputs, given_attrs = make(rule)
    inputs += [None] * (6 - len(inputs))
    for i, shape in change.items():
        inputs[i] = np.zeros(shape, np.float32)
    while inputs[-1] is None:
        inputs.pop()
    for symbolic in (False, True):
        with pytest.raises(opgraft.Error, match=text):
            run_node("LinearAttention", inputs, given_attrs | attrs, outputs=2, symbolic=symbolic)


@given(st.data())
def test_random(data):
    def size(*sizes):
        return data.draw(st.sampled_from(sizes))

    rule, heads = data.draw(st.sampled_from(RULES)), size(1, 2, 3)
    inputs, attrs = make(
        rule,
        size(1, 0, 2),
        size(1, 0, 2, 7, 20),
        heads * size(1, 2),
        heads,
        size(4, 1, 8, 17, 0),
        size(4, 1, 16, 33, 64, 70, 0),
        data.draw(st.sampled_from([np.float32, np.float16])),
        data.draw(st.booleans()),
        data.draw(st.booleans()),
        data.draw(st.booleans()),
        data.draw(st.integers(0, 1000)),
    )
    if len(inputs) > 3 and inputs[3] is not None:
        inputs[3] = draw_values(data, inputs[3].shape, inputs[0].dtype, low=-1, high=1)
    if data.draw(st.booleans()):
        attrs["scale"] = 0.7
    tolerance = 1e-5 if inputs[0].dtype == np.float32 else 1e-2
    check_case(data, "LinearAttention", inputs, attrs, linear_attention, 2, tolerance=tolerance)
