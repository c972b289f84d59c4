"""Operator Cast."""

import numpy as np
import pytest
from opgraft import _arrays
from opgraft.testing import compare, run_node


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
