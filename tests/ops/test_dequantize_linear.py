"""Operator DequantizeLinear."""

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import run_node
from random_cases import check_case, draw_axis, draw_shape, draw_values


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.uint16, np.int16, ml_dtypes.uint4, ml_dtypes.int4], ids=lambda t: t.__name__)
def test_dequantize_linear(dtype):
    rng = np.random.default_rng(0)
    x = rng.integers(0, 7, (3, 4, 6)).astype(dtype)
    wide = x.astype(np.float64)
    for kind in (np.float32, np.float16):
        for scale, zero, axis, block in (
            (np.array(0.5), np.array(3), 1, 0),
            (np.array([0.5, 2, 1, 4]), np.array([0, 1, 2, 3]), 1, 0),
            (rng.choice([0.5, 1, 2], (3, 4, 3)), rng.integers(0, 3, (3, 4, 3)), -1, 2),
            (rng.choice([0.5, 1, 2], (2, 4, 6)), None, 0, 2),
        ):
            zeros = None if zero is None else zero.astype(dtype)
            (got,) = run_node("DequantizeLinear", [x, scale.astype(kind), zeros], {"axis": axis, "block_size": block})

            def along(values, axis=axis, block=block):
                if values is None or values.ndim == 0:
                    return 0 if values is None else values
                if block:
                    return np.take(values, np.arange(x.shape[axis]) // block, axis)
                return values.reshape([-1 if i == axis else 1 for i in range(3)])

            np.testing.assert_array_equal(got, ((wide - along(zero)) * along(scale)).astype(kind))


def test_int32_and_8_bit_floats():
    x = np.array([-70000, 5, 1 << 20], np.int32)
    np.testing.assert_array_equal(run_node("DequantizeLinear", [x, np.array(0.25, np.float32)])[0], x / np.float32(4))
    codes = np.arange(256, dtype=np.uint8)
    for dtype in (ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2, ml_dtypes.float8_e4m3fnuz, ml_dtypes.float8_e5m2fnuz):
        y = codes.view(dtype)
        np.testing.assert_array_equal(run_node("DequantizeLinear", [y, np.array(2, np.float32)])[0], y.astype(np.float32) * 2)


@given(st.data())
def test_random(data):
    kind = data.draw(st.sampled_from([np.uint8, np.int8, np.uint16, np.int16, ml_dtypes.uint4, ml_dtypes.int4, ml_dtypes.int2, np.int32]))
    shape = draw_shape(data, min_rank=1, max_rank=3, min_size=1)
    axis, way = draw_axis(data, len(shape)), data.draw(st.sampled_from(["whole", "axis", "blocks"]))
    block = data.draw(st.integers(1, 5)) if way == "blocks" else 0
    sizes = {"whole": (), "axis": (shape[axis],), "blocks": tuple(-(-s // (block or 1)) if i == axis % len(shape) else s for i, s in enumerate(shape))}[way]
    x, zero = (draw_values(data, s, np.uint8, low=0, high=1).astype(kind) for s in (shape, sizes))
    scale = draw_values(data, sizes, data.draw(st.sampled_from([np.float32, np.float16, ml_dtypes.bfloat16])), special=False)

    def along(values):
        if way == "blocks":
            return np.take(values, np.arange(shape[axis]) // block, axis)
        return values.reshape([-1 if i == axis % len(shape) else 1 for i in range(len(shape))]) if way == "axis" else values

    def reference(x, scale, zero=None, **_):
        return (x.astype(np.float64) - (0 if zero is None else along(zero.astype(np.float64)))) * along(scale)

    inputs = [x, scale, *([zero] if kind is not np.int32 and data.draw(st.booleans()) else [])]
    check_case(data, "DequantizeLinear", inputs, {"axis": axis, "block_size": block}, reference)
