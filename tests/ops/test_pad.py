"""Operator Pad."""

import ml_dtypes
import numpy as np
import opgraft
import pytest
from opgraft.testing import check_op, run_node

X = np.arange(12).astype(np.float32).reshape(3, 4)


def test_pad():
    for mode in ("constant", "reflect", "edge", "wrap"):
        for pads in ([1, 2, 0, 1], [0, 0, 0, 0], [2, 3, 2, 3]):
            widths = list(zip(pads[:2], pads[2:], strict=True))
            want = np.pad(X, widths, mode=mode)
            check_op(
                "Pad",
                inputs=[X, np.array(pads, np.int64)],
                attrs={"mode": [mode]},
                reference=lambda x, p, mode, w=want: w,
            )


def test_pad_with_a_value_and_axes():
    value, axes = np.float32(1.5), np.array([-1], np.int64)
    want = np.pad(X, [(0, 0), (2, 1)], constant_values=1.5)
    check_op("Pad", inputs=[X, np.array([2, 1], np.int64), value, axes], reference=lambda *_: want)


def test_negative_pads_take_away():
    want = np.pad(X[1:, :-1], [(0, 1), (2, 0)])
    check_op("Pad", inputs=[X, np.array([-1, 2, 1, -1], np.int64)], reference=lambda *_: want)


def test_pad_with_attributes():
    want = np.pad(X, [(1, 0), (0, 2)], constant_values=3)
    check_op("Pad", inputs=[X], attrs={"pads": [[1, 0, 0, 2]], "value": [3.0]}, opset=10, reference=lambda x, **_: want)


def test_pad_of_integers():
    for dtype in (np.int64, np.uint8, np.float16, np.float64):
        want = np.pad(X.astype(dtype), 1)
        check_op("Pad", inputs=[X.astype(dtype), np.ones(4, np.int64)], reference=lambda *_, w=want: w)


def test_negative_pads_are_taken_away_before_the_rest_is_padded():
    for mode in ("reflect", "edge", "wrap"):
        want = np.pad(X[:, 1:], [(0, 1), (0, 2)], mode=mode)
        pads = np.array([0, -1, 1, 2], np.int64)
        check_op("Pad", inputs=[X, pads], attrs={"mode": [mode]}, reference=lambda *_, w=want, mode: w)


def test_pad_of_strings():
    x = np.array([["a", "b"]], object)
    pads = np.array([0, 1, 1, 0], np.int64)
    want = np.array([["", "a", "b"], ["", "", ""]], object)
    check_op("Pad", inputs=[x, pads], reference=lambda *_: want)


def test_pad_refuses_what_cannot_be():
    pads = np.array([0, 0, 1, 0], np.int64)
    with pytest.raises(opgraft.Error, match='mode = "mirror"; it must be "constant", "reflect", "edge" or "wrap"'):
        run_node("Pad", [X, pads], {"mode": "mirror"})
    with pytest.raises(opgraft.Error, match="needs at least one element to pad from, none is left of 3"):
        run_node("Pad", [X, np.array([-3, 0, 1, 0], np.int64)], {"mode": "edge"})


@pytest.mark.parametrize("dtype", [ml_dtypes.int4, ml_dtypes.uint4, ml_dtypes.int2, ml_dtypes.uint2], ids=lambda t: t.__name__)
def test_elements_smaller_than_a_byte(dtype):
    wide = np.random.default_rng(0).integers(0, 2, (3, 5, 7))
    x = wide.astype(dtype)
    got = run_node("Pad", [x, np.array([1, 0, 2, 0, 1, 0]), np.array(1).astype(dtype)])[0]
    assert got.dtype == dtype
    np.testing.assert_array_equal(got.astype(int), np.pad(wide, [(1, 0), (0, 1), (2, 0)], constant_values=1))
