"""Operator Pad."""

import ml_dtypes
import numpy as np
import opgraft
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op, run_node
from random_cases import draw_axes
from random_more import check_moved, draw_any, draw_moved, draw_number, draw_opset

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


def test_no_axes_are_named():
    none = np.zeros(0, np.int64)
    check_op("Pad", inputs=[X, none, None, none], reference=lambda x, *_: x)


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


@given(st.data())
def test_random(data):
    opset = draw_opset(data, "Pad", 2) or 28
    mode = data.draw(st.sampled_from(["constant", "reflect", "edge"] + (["wrap"] if opset >= 19 else [])))
    x = draw_moved(data, "Pad", opset, min_rank=int(opset < 11), max_rank=3, min_size=0 if mode == "constant" else 1)
    low, high = (-min(2, *x.shape, 2) // 2, 3) if x.ndim else (0, 0)
    axes = draw_axes(data, x.ndim) if opset >= 18 and data.draw(st.booleans()) else None
    order = [axis % x.ndim for axis in axes] if axes is not None else range(x.ndim)
    pads = [data.draw(st.integers(low if x.shape[axis] > 2 else 0, high if mode == "constant" else min(high, x.shape[axis] - 1))) for axis in [*order, *order]]

    def reference(x, *_, **__):
        places, widths = np.arange(x.size).reshape(x.shape), np.zeros((x.ndim, 2), int)
        widths[list(order)] = np.array(pads, int).reshape(2, -1).T
        for axis, (before, after) in enumerate(widths):
            places = np.take(places, range(max(-before, 0), x.shape[axis] - max(-after, 0)), axis)
        places = np.pad(places, np.maximum(widths, 0), mode=mode, **({"constant_values": -1} if mode == "constant" else {})) if x.ndim else places
        flat = np.append(x.reshape(-1), np.array([value]).astype(x.dtype)) if mode == "constant" else x.reshape(-1)
        return np.asarray(flat[places], x.dtype)

    if opset < 11:
        value = draw_number(data)
        return check_moved(data, "Pad", [x], {"pads": pads, "value": value, "mode": mode}, reference, opset=opset)
    given = data.draw(st.booleans(), label="value") and mode == "constant"
    value = draw_any(data, (), x.dtype)[()] if given else "" if x.dtype == object else 0
    inputs = [x, np.array(pads, np.int64), np.array(value, x.dtype) if given else None, None if axes is None else np.array(axes, np.int64)]
    check_moved(data, "Pad", inputs if opset >= 18 else inputs[:3], {"mode": mode}, reference, opset=opset)
