"""Operator Clip."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op
from random_cases import NUMBERS, check_case, draw_array, draw_attrs, draw_opset, types_of


def test_clip():
    x = np.random.default_rng(0).normal(0, 3, (13, 17)).astype(np.float32)
    low, high = np.float32(-1), np.float32(2)
    check_op("Clip", inputs=[x, low, high], reference=lambda x, a, b: np.clip(x, a, b))
    check_op("Clip", inputs=[x, None, high], reference=lambda x, a, b: np.minimum(x, b))
    check_op("Clip", inputs=[x, low], reference=lambda x, a: np.maximum(x, a))
    check_op("Clip", inputs=[x], reference=lambda x: x)


def test_clip_of_integers_and_halves():
    for dtype in (np.int8, np.int32, np.int64, np.uint8, np.float16, np.float64):
        x = np.arange(20).astype(dtype)
        check_op("Clip", inputs=[x, dtype(3), dtype(9)], reference=lambda x, a, b: np.clip(x, a, b))


def test_clip_with_attributes():
    x = np.array([[-3, 0.5], [2, 9]], np.float32)
    attrs = {"min": [-1.0], "max": [2.0]}
    check_op("Clip", inputs=[x], attrs=attrs, opset=6, reference=lambda x, min, max: np.clip(x, min, max))
    check_op("Clip", inputs=[x], attrs={"min": [0.0]}, opset=10, reference=lambda x, min: np.maximum(x, min))


def test_clip_keeps_nan():
    x = np.array([np.nan, 5, -5], np.float32)
    check_op("Clip", inputs=[x, np.float32(-1), np.float32(1)], reference=lambda x, a, b: np.clip(x, a, b))


@given(st.data())
def test_random(data):
    def reference(x, low=None, high=None):
        x = x if low is None else np.where(x < low, low, x)
        return x if high is None else np.where(x > high, high, x)

    opset = draw_opset(data, "Clip")
    x = draw_array(data, types_of("Clip", opset, NUMBERS))
    low, high = (np.asarray(limit).astype(x.dtype) for limit in (data.draw(st.integers(0, 3)), data.draw(st.integers(3, 9))))
    if opset and opset < 11:
        attrs = draw_attrs(data, min=(-3.0, 0.0), max=(0.0, 3.0))
        return check_case(data, "Clip", [x], attrs, lambda x, min=None, max=None: reference(x, min, max), opset=opset)
    inputs = [x, *data.draw(st.sampled_from([(), (low,), (None, high), (low, high)]))]
    check_case(data, "Clip", inputs, None, reference, opset=opset)
