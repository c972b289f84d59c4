"""Operator QuantizeLinear."""

import ml_dtypes
import numpy as np
import opgraft
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import run_node
from random_cases import draw_axis, draw_shape, draw_values
from random_more import check_moved

RANGES = {np.uint8: (0, 255), np.int8: (-128, 127), np.uint16: (0, 65535), np.int16: (-32768, 32767), ml_dtypes.uint4: (0, 15), ml_dtypes.int4: (-8, 7)}


def spread(values, x, axis, block):
    """Scales as an array of the shape of x."""
    values = np.asarray(values, np.float64)
    if values.ndim == 0:
        return values
    if block:
        return np.take(values, np.arange(x.shape[axis]) // block, axis)
    shape = [1] * x.ndim
    shape[axis] = -1
    return values.reshape(shape)


@pytest.mark.parametrize("dtype", RANGES, ids=lambda dtype: dtype.__name__)
@pytest.mark.parametrize("kind", [np.float32, np.float16])
def test_quantize_linear(dtype, kind):
    rng = np.random.default_rng(0)
    low, high = RANGES[dtype]
    x = (rng.normal(size=(3, 4, 6)) * (high - low) / 4).astype(kind)
    x[0, 0, :4] = [np.inf, -np.inf, 0.5, 1.5]
    for scale, zero, axis, block in (
        (np.array(0.5), np.array(3), 1, 0),
        (np.array([0.5, 2, 1, 4]), np.array([0, 1, 2, 3]), 1, 0),
        (rng.choice([0.5, 1, 2], (3, 4, 3)), rng.integers(0, 3, (3, 4, 3)), -1, 2),
        (rng.choice([0.5, 1, 2], (3, 2, 6)), None, 1, 3),
    ):
        zeros = None if zero is None else zero.astype(dtype)
        attrs = {"axis": axis, "block_size": block} | ({} if zero is not None else {"output_dtype": CODES[dtype]})
        (got,) = run_node("QuantizeLinear", [x, scale.astype(kind), zeros], attrs)
        shift = 0 if zero is None else spread(zero, x, axis, block)
        want = np.clip(np.rint(x.astype(np.float64) / spread(scale, x, axis, block)) + shift, low, high)
        assert got.dtype == dtype
        np.testing.assert_array_equal(got.astype(np.float64), want)


CODES = {np.uint8: 2, np.int8: 3, np.uint16: 4, np.int16: 5, ml_dtypes.uint4: 21, ml_dtypes.int4: 22}


@pytest.mark.parametrize("dtype", [ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2, ml_dtypes.float8_e4m3fnuz, ml_dtypes.float8_e5m2fnuz])
def test_quantize_to_8_bit_floats(dtype):
    x = np.linspace(-100, 100, 41).astype(np.float32)
    (got,) = run_node("QuantizeLinear", [x, np.array(2, np.float32), np.array(0, dtype)])
    np.testing.assert_array_equal(got, (x / 2).astype(dtype))


def test_wrong_scales():
    x = np.zeros((2, 3), np.float32)
    with pytest.raises(opgraft.Error, match=r"scale \[2\] must be \[3\], the size of axis 1"):
        run_node("QuantizeLinear", [x, np.ones(2, np.float32), np.zeros(2, np.uint8)])
    with pytest.raises(opgraft.Error, match="zero point and scale must have the same dims"):
        run_node("QuantizeLinear", [x, np.ones(3, np.float32), np.zeros(2, np.uint8)])


@given(st.data())
def test_random(data):
    kind, dtype = data.draw(st.sampled_from([np.float32, np.float16, ml_dtypes.bfloat16])), data.draw(st.sampled_from(list(RANGES)))
    low, high = RANGES[dtype]
    shape = draw_shape(data, 1, 4)
    axis, way = draw_axis(data, len(shape)), data.draw(st.sampled_from(["tensor", "axis", "block"]))
    block = data.draw(st.integers(1, 4)) if way == "block" else 0
    size = shape[axis]
    inner = {"tensor": (), "axis": (size,), "block": tuple(-(-size // block) if i == axis % len(shape) else s for i, s in enumerate(shape)) if block else ()}[way]
    scale = (2.0 ** draw_values(data, inner, np.int32, -2, 2)).astype(kind)  # powers of two: quotients are exact
    zero = draw_values(data, inner, np.int32, 0, 5).astype(dtype) if data.draw(st.booleans()) else None
    attrs = {"axis": axis, "block_size": block} | ({} if zero is not None else {"output_dtype": CODES[dtype]})
    x = draw_values(data, shape, kind, -100, 100)

    def reference(x, scale, zero=None, **_):
        shift = 0 if zero is None else spread(zero, x, axis, block)
        return np.clip(np.rint(x / spread(scale, x, axis, block)) + shift, low, high).astype(int).astype(dtype)

    check_moved(data, "QuantizeLinear", [x, scale, zero], attrs, reference)
