"""Operator QuantizeLinear."""

import ml_dtypes
import numpy as np
import opgraft
import pytest
from opgraft.testing import run_node

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
