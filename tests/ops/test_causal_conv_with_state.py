"""Operator CausalConvWithState."""

import ml_dtypes
import numpy as np
import opgraft
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op, compare, run_node
from random_cases import check_case, draw_values


def causal_conv(x, weight, bias=None, past=None, activation="none"):
    size, length = weight.shape[2], x.shape[2]
    before = np.zeros((*x.shape[:2], size - 1)) if past is None else past
    line = np.concatenate([before, x], 2)
    y = sum(line[:, :, k : k + length] * weight[:, 0, k][:, None] for k in range(size))
    if bias is not None:
        y = y + bias[:, None]
    if activation != "none":
        y = y / (1 + np.exp(-y))
    return y, line[:, :, length:]


def make(batch=2, channels=4, length=9, size=4, bias=True, past=True, dtype=np.float32):
    rng = np.random.default_rng(0)
    shapes = [(batch, channels, length), (channels, 1, size), (channels,) if bias else None, (batch, channels, size - 1) if past else None]
    inputs = [None if shape is None else rng.normal(size=shape).astype(dtype) for shape in shapes]
    while inputs[-1] is None:
        inputs.pop()
    return inputs


def check(inputs, **options):
    check_op("CausalConvWithState", inputs, attrs={"activation": ["none", "silu", "swish"]}, reference=causal_conv, outputs=2, **options)


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("past", [False, True])
@pytest.mark.parametrize("length,size", [(9, 4), (1, 4), (2, 5), (200, 3), (8, 1), (130, 7)])
def test_values(bias, past, length, size):
    check(make(length=length, size=size, bias=bias, past=past))


@pytest.mark.parametrize("dtype,tolerance", [(np.float16, 5e-3), (ml_dtypes.bfloat16, 3e-2)])
def test_halves(dtype, tolerance):
    check(make(dtype=dtype), tolerance=tolerance)


@pytest.mark.parametrize("zero", ["batch", "length", "channels"])
def test_sizes_of_zero(zero):
    check(make(**{zero: 0}))


def test_half_kernel_serves_where_the_body_cannot():
    inputs = make(dtype=np.float16)  # the body must know the number of channels
    got = run_node("CausalConvWithState", inputs, outputs=2, symbolic=True, prefer_bodies=True)
    for g, w in zip(got, causal_conv(*(x.astype(np.float64) for x in inputs)), strict=True):
        compare(g, w.astype(np.float16))


def test_steps():
    x, weight, bias, state = make(length=7)
    whole = run_node("CausalConvWithState", [x, weight, bias, state], outputs=2)
    parts = []
    for t in range(7):
        y, state = run_node("CausalConvWithState", [x[:, :, t : t + 1], weight, bias, state], outputs=2)
        parts.append(y)
    compare(np.concatenate(parts, 2), whole[0])
    compare(state, whole[1])


@pytest.mark.parametrize(
    "change,attrs,text",
    [
        ({}, {"activation": "relu"}, 'activation = "relu" must be none, silu or swish'),
        ({0: (2, 4)}, {}, r"input must have rank 3, it has dims \["),
        ({1: (4, 4)}, {}, "weight must have rank 3"),
        ({1: (3, 1, 4)}, {}, "the channels of input and weight differ: 4 and 3"),
        ({1: (4, 2, 4)}, {}, "1 and axis 1 of weight differ: 1 and 2"),
        ({1: (4, 1, 0)}, {}, "weight has a kernel of size 0, at least 1 is needed"),
        ({2: (3,)}, {}, "the channels of input and bias differ: 4 and 3"),
        ({3: (1, 4, 3)}, {}, "the batch sizes of input and past_state differ: 2 and 1"),
        ({3: (2, 3, 3)}, {}, "the channels of input and past_state differ: 4 and 3"),
        ({3: (2, 4, 4)}, {}, "the kernel size less 1 and the length of past_state differ: 3 and 4"),
    ],
)
def test_errors(change, attrs, text):
    inputs = make()
    for i, shape in change.items():
        inputs[i] = np.zeros(shape, np.float32)
    for symbolic in (False, True):
        with pytest.raises(opgraft.Error, match=text):
            run_node("CausalConvWithState", inputs, attrs, outputs=2, symbolic=symbolic)


@given(st.data())
def test_random(data):
    def size(*sizes):
        return data.draw(st.sampled_from(sizes))

    batch, channels, length, kernel = size(1, 2, 3), size(1, 2, 5, 16), size(1, 0, 2, 63, 64, 65, 129), size(1, 2, 3, 4, 8)
    dtype = data.draw(st.sampled_from([np.float32, np.float16]))
    shapes = [(batch, channels, length), (channels, 1, kernel)]
    shapes.append((channels,) if data.draw(st.booleans()) else None)
    shapes.append((batch, channels, kernel - 1) if data.draw(st.booleans()) else None)
    inputs = [None if shape is None else draw_values(data, shape, dtype, special=False) for shape in shapes]
    while inputs[-1] is None:
        inputs.pop()
    attrs = {"activation": data.draw(st.sampled_from(["none", "silu", "swish"]))} if data.draw(st.booleans()) else {}
    check_case(data, "CausalConvWithState", inputs, attrs, causal_conv, 2)
