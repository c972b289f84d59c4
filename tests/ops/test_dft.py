"""Operator DFT against NumPy."""

import numpy as np
import opgraft
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import compare, run_node
from oracles import check_against_onnxruntime
from random_cases import FLOATS, check_case, draw_shape, draw_values


def reference(x, length=None, axis=None, inverse=0, onesided=0):
    """In double precision; the last axis holds the parts."""
    axis = (-2 if axis is None else int(np.asarray(axis).reshape(()))) % x.ndim
    numbers = x[..., 0] + (1j * x[..., 1] if x.shape[-1] == 2 else 0)
    if length is None:
        length = 2 * (x.shape[axis] - 1) if inverse and onesided else x.shape[axis]
    length = int(np.asarray(length).reshape(()))
    if inverse and onesided:
        return np.fft.irfft(numbers, length, axis)[..., None]
    y = (np.fft.ifft if inverse else np.fft.fft)(numbers, length, axis)
    if onesided:
        y = np.take(y, range(length // 2 + 1), axis)
    return np.stack([y.real, y.imag], -1)


def check(x, length=None, axis=None, tolerance=None, **attrs):
    inputs = [x, None if length is None else np.asarray(length, np.int64), None if axis is None else np.asarray(axis, np.int64)]
    want = reference(x.astype(np.float64), *inputs[1:], **attrs).astype(x.dtype)
    for symbolic in (False, True):
        for threads in (1, 2):
            (got,) = run_node("DFT", inputs, attrs, symbolic=symbolic, threads=threads)
            compare(got, want, tolerance, f"{x.shape} {length} {axis} {attrs}")


def signal(*shape, dtype=np.float32):
    return np.random.default_rng(0).normal(size=shape).astype(dtype)


# Powers of two, products of 2, 3, 5, primes done directly (7 to 31), primes and products done by convolution.
LENGTHS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 20, 25, 30, 31, 32, 37, 49, 60, 64, 74, 97, 100, 121, 127, 128, 211, 256, 400, 480, 1009]


@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("dtype,tolerance", [(np.float32, 1e-6), (np.float64, 1e-14)])
def test_lengths(n, dtype, tolerance):
    tolerance *= 1 if n < 37 else 4
    for signals in (1, 2, 3, 20):
        for parts in (1, 2):
            check(signal(signals, n, parts, dtype=dtype), tolerance=tolerance)
        check(signal(signals, n, 1, dtype=dtype), onesided=1, tolerance=tolerance)
        check(signal(signals, n, 2, dtype=dtype), inverse=1, tolerance=tolerance)
        check(signal(signals, n // 2 + 1, 2, dtype=dtype), length=n, inverse=1, onesided=1, tolerance=tolerance)


def test_long_signals():
    check(signal(1, 100_000, 2), tolerance=1e-6)
    # A length with a large prime factor takes three longer transforms, whose rounding in float32 adds up.
    check(signal(3, 70_001, 1), onesided=1, tolerance=1e-4)


@pytest.mark.parametrize("axis", [0, 1, 2, -2, -3, -4])
def test_axes(axis):
    for parts in (1, 2):
        check(signal(3, 8, 5, parts), axis=axis)
        check(signal(3, 8, 5, parts), axis=axis, length=6)
        check(signal(3, 8, 5, parts), axis=axis, length=[11])
    check(signal(3, 8, 5, 1), axis=axis, onesided=1)
    check(signal(3, 8, 5, 2), axis=axis, onesided=1, inverse=1)


def test_empty_batch():
    check(signal(0, 8, 2))
    check(signal(0, 8, 1), onesided=1)


def test_real_input_backwards():
    check(signal(3, 6, 1), inverse=1)
    check(signal(3, 6, 1), inverse=1, onesided=1)


def test_parts_that_a_real_signal_cannot_have_are_ignored():
    x = signal(3, 5, 2)
    x[:, 0, 1] = np.nan
    x[:, 4, 1] = np.inf
    (got,) = run_node("DFT", [x], {"inverse": 1, "onesided": 1})
    x[:, [0, 4], 1] = 0
    compare(got, reference(x, inverse=1, onesided=1).astype(np.float32))


@pytest.mark.parametrize("dtype", [np.float16, np.int32])
def test_other_types(dtype):
    x = signal(2, 12, 2).astype(np.float16 if dtype == np.float16 else np.float32)
    (got,) = run_node("DFT", [x, np.array(10, np.int32)])
    compare(got, reference(x.astype(np.float64), 10).astype(x.dtype))


def test_opset_17():
    x = signal(2, 3, 4, 2)
    for axis in (None, 2, -2):
        attrs = {} if axis is None else {"axis": axis}
        (got,) = run_node("DFT", [x], {**attrs, "inverse": 1}, opset=17)
        compare(got, reference(x, None, 1 if axis is None else axis, inverse=1).astype(np.float32))
    (got,) = run_node("DFT", [x[..., :1], np.array(8)], {"axis": 2, "onesided": 1}, opset=19)
    compare(got, reference(x[..., :1], 8, 2, onesided=1).astype(np.float32))


def test_against_onnxruntime():
    check_against_onnxruntime("DFT", [signal(2, 16, 1), None, np.array(1)], {"onesided": 1}, constants=(2,), opset=20)
    check_against_onnxruntime("DFT", [signal(2, 7, 9, 2), None, np.array(2)], {}, constants=(2,), opset=20)


@pytest.mark.parametrize(
    "inputs,attrs,text",
    [
        ([signal(2, 3, 3)], {}, "its size must be 1 or 2, it is 3"),
        ([signal(2)], {}, "it has rank 1"),
        ([signal(2, 3, 2)], {"onesided": 1}, "onesided = 1 without inverse needs real input"),
        ([signal(2, 3, 2), None, np.array(2)], {}, "axis 2 is the last one, which holds real and imaginary parts"),
        ([signal(2, 3, 2), None, np.array(-1)], {}, "axis 2 is the last one"),
        ([signal(2, 3, 2), None, np.array(3)], {}, "axis = 3 is out of range for rank 3"),
        ([signal(2, 3, 2), None, np.array([0, 1])], {}, "axis has 2 elements; it must be a scalar"),
        ([signal(2, 3, 2), np.array([4, 4])], {}, "dft_length has 2 elements; it must be a scalar"),
        ([signal(2, 3, 2), np.array(0)], {}, "the length of the transform is 0"),
        ([signal(2, 3, 2), np.array(-5)], {}, "the length of the transform is -5"),
        ([signal(2, 3, 2), np.array(2**40)], {}, "1099511627776"),
        ([signal(2, 1, 2)], {"onesided": 1, "inverse": 1}, "the length of the transform is 0|transform of length 0"),
        ([signal(2, 0, 2)], {}, "the length of the transform is 0|transform of length 0"),
    ],
)
def test_errors(inputs, attrs, text):
    for symbolic in (False, True):
        with pytest.raises(opgraft.Error, match=text):
            run_node("DFT", inputs, attrs, symbolic=symbolic)


@given(st.data())
def test_random(data):
    attrs = {"inverse": data.draw(st.integers(0, 1)), "onesided": data.draw(st.integers(0, 1))}
    parts = data.draw(st.integers(1, 1 if attrs == {"inverse": 0, "onesided": 1} else 2))
    shape = (*draw_shape(data, 1, 3), parts)
    axis = data.draw(st.integers(-len(shape), len(shape) - 2).filter(lambda a: a != -1))
    length = data.draw(st.none() | st.integers(1, 130))
    size = shape[axis]
    if length is None and (size < 1 or (size < 2 and attrs["inverse"] and attrs["onesided"])):
        length = 3
    x = draw_values(data, shape, data.draw(st.sampled_from(FLOATS)), special=False)
    inputs = [x, None if length is None else np.array(length, data.draw(st.sampled_from([np.int32, np.int64]))), np.array(axis)]
    opset = data.draw(st.sampled_from([17, 20, None]))
    if opset == 17:
        inputs, attrs = inputs[:2], {**attrs, "axis": axis}
    check_case(data, "DFT", inputs, attrs, lambda *a, **k: reference(*a, **k) if opset != 17 else reference(*a[:2], **{**k, "axis": axis}), opset=opset, tolerance=2e-2 if x.dtype == np.float16 else None)
