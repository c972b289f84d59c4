"""Operator Cast."""

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opgraft import _arrays
from opgraft.testing import compare, run_node
from random_cases import WHOLE_BYTES, check_case, draw_opset, draw_shape, draw_values, types_of


def test_cast_between_all_numeric_types():
    types = [
        np.float32,
        np.float64,
        np.float16,
        np.int8,
        np.int16,
        np.int32,
        np.int64,
        np.uint8,
        np.uint16,
        np.uint32,
        np.uint64,
    ]
    for source in types:
        x = np.arange(0, 100).reshape(4, 25).astype(source)
        for target in [*types, np.bool_]:
            got = run_node("Cast", [x], {"to": _arrays.dtype_code(target)})[0]
            compare(got, x.astype(target), what=f"{source} to {target}")
    flags = np.array([True, False])
    for target in types:
        compare(run_node("Cast", [flags], {"to": _arrays.dtype_code(target)})[0], flags.astype(target))


def test_cast_to_integers_cuts_off():
    x = np.array([1.9, -1.9, 0.5, -0.5], np.float32)
    compare(run_node("Cast", [x], {"to": 7})[0], np.array([1, -1, 0, 0], np.int64))


def test_cast_halves_round_to_even():
    x = np.array([1 + 2**-11, 1 + 3 * 2**-11, 65519, 65520, 1e-8, 2**-24, np.nan, -np.inf], np.float32)
    with np.errstate(over="ignore"):
        compare(run_node("Cast", [x], {"to": 10})[0], x.astype(np.float16), tolerance=0)
    bits = np.arange(65536, dtype=np.uint16).view(np.float16)
    compare(run_node("Cast", [bits], {"to": 1})[0], bits.astype(np.float32), tolerance=0)


def test_cast_bfloat16():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    x = np.random.default_rng(0).normal(0, 100, 1000).astype(np.float32)
    got = run_node("Cast", [x], {"to": 16})[0]
    assert got.dtype == ml_dtypes.bfloat16
    np.testing.assert_array_equal(got.astype(np.float32), x.astype(ml_dtypes.bfloat16).astype(np.float32))


def test_cast_strings():
    numbers = np.array(["1.5", "-2", "3e2", "INF", "NaN"], object)
    compare(run_node("Cast", [numbers], {"to": 1})[0], np.array([1.5, -2, 300, np.inf, np.nan], np.float32))
    whole = np.array(["9007199254740993", "-1"], object)
    compare(run_node("Cast", [whole], {"to": 7})[0], np.array([9007199254740993, -1], np.int64))
    got = run_node("Cast", [np.array([1.5, -2, 0.1], np.float32)], {"to": 8})[0]
    assert [float(text) for text in got] == pytest.approx([1.5, -2, 0.1])


def test_cast_to_integers_saturates():
    x = np.array([3e9, -3e9, 1e30, -1e30, np.inf, -np.inf, np.nan, 300, -300, 2.9], np.float32)
    x = np.concatenate([x, np.arange(2000, dtype=np.float32), x])  # some blocks with, some without large ones
    for target in (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.int64):
        limits = np.iinfo(target)
        want = np.array([0 if v != v else min(max(v, limits.min), limits.max) for v in x.tolist()], object)
        want = np.array([int(v) for v in want], object).astype(target)
        compare(run_node("Cast", [x], {"to": _arrays.dtype_code(target)})[0], want, what=str(target))


def test_cast_halves_of_every_length():
    for n in range(1, 20):
        x = np.random.default_rng(n).normal(0, 100, n).astype(np.float32)
        compare(run_node("Cast", [x], {"to": 10})[0], x.astype(np.float16), tolerance=0)
        compare(run_node("Cast", [x.astype(np.float16)], {"to": 1})[0], x.astype(np.float16).astype(np.float32), 0)


NARROW = {
    17: ml_dtypes.float8_e4m3fn,
    18: ml_dtypes.float8_e4m3fnuz,
    19: ml_dtypes.float8_e5m2,
    20: ml_dtypes.float8_e5m2fnuz,
    23: ml_dtypes.float4_e2m1fn,
    27: ml_dtypes.float6_e2m3fn,
    28: ml_dtypes.float6_e3m2fn,
}


@pytest.mark.parametrize("code", NARROW)
def test_every_narrow_float_becomes_a_number_and_back(code):
    bits = ml_dtypes.finfo(NARROW[code]).bits
    codes = np.arange(1 << bits, dtype=np.uint8).view(NARROW[code])
    wide = codes.astype(np.float32)
    np.testing.assert_array_equal(run_node("Cast", [codes], {"to": 1})[0], wide)
    (back,) = run_node("Cast", [wide], {"to": code, "saturate": 0})
    np.testing.assert_array_equal(back.astype(np.float32), wide)


@pytest.mark.parametrize("code", NARROW)
def test_rounding_to_narrow_floats(code):
    finfo = ml_dtypes.finfo(NARROW[code])
    largest = float(finfo.max)
    x = np.random.default_rng(0).uniform(-largest, largest, 2000).astype(np.float32)
    x = np.concatenate([x, x / 50, x / 1000])
    for kind in (np.float32, np.float64, np.float16):
        given = x.astype(kind)
        (got,) = run_node("Cast", [given], {"to": code})
        np.testing.assert_array_equal(got.astype(np.float32), given.astype(NARROW[code]).astype(np.float32))


@pytest.mark.parametrize("code, dtype", [(21, ml_dtypes.uint4), (22, ml_dtypes.int4), (25, ml_dtypes.uint2), (26, ml_dtypes.int2)])
def test_integers_of_less_than_a_byte(code, dtype):
    info = ml_dtypes.iinfo(dtype)
    numbers = np.arange(info.min, info.max + 1)
    for kind in (np.int8 if info.min < 0 else np.uint8, np.float32, np.int64):
        (got,) = run_node("Cast", [numbers.astype(kind)], {"to": code})
        assert got.dtype == dtype and got.astype(int).tolist() == numbers.tolist()
    (back,) = run_node("Cast", [numbers.astype(dtype)], {"to": 7})
    assert back.tolist() == numbers.tolist()


def converted(x, dtype):
    """What Cast makes of x: integers of floats are the nearest ones of the type, those of integers wrap."""
    target = np.dtype(dtype)
    with np.errstate(all="ignore"):
        if target.kind == "b":
            return x.astype(np.float64) != 0 if x.dtype.kind == "V" else x != 0
        if target.kind not in "iu" or x.dtype.kind in "biu":
            return x.astype(target)
    limits = np.iinfo(target)
    numbers = [0 if v != v else int(min(max(v, limits.min), limits.max)) for v in x.astype(np.float64).reshape(-1).tolist()]
    return np.array(numbers, target).reshape(x.shape)


@given(st.data())
def test_random(data):
    opset = draw_opset(data, "Cast", since=6)
    source, target = (data.draw(st.sampled_from(types_of("Cast", opset, WHOLE_BYTES))) for _ in range(2))
    shape, kind = draw_shape(data), np.dtype(source).kind
    x = draw_values(data, shape, source, **({"low": -400, "high": 400} if kind not in "biu" and data.draw(st.booleans()) else {}))
    want = converted(x, target)
    attrs = {"to": _arrays.dtype_code(np.dtype(target))}
    check_case(data, "Cast", [x], attrs, lambda x, to: x, opset=opset, check=lambda got, _: compare(got[0], want))
