"""Operator DynamicQuantizeLinear."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import run_node
from random_cases import check_case, draw_array


def test_dynamic_quantize_linear():
    rng = np.random.default_rng(0)
    for x in (rng.normal(size=(3, 40)), rng.uniform(1, 2, (5,)), -rng.uniform(1, 2, (5,)), np.zeros((2, 2)), np.zeros((0, 3))):
        x = x.astype(np.float32)
        y, scale, zero = run_node("DynamicQuantizeLinear", [x], outputs=3)
        low, high = min(x.min(initial=0), 0), max(x.max(initial=0), 0)
        want_scale = np.float32((np.float32(high) - np.float32(low)) / np.float32(255))
        assert scale == want_scale and scale.shape == zero.shape == ()
        want_zero = 0 if want_scale == 0 else np.rint(np.clip(-low / want_scale, 0, 255))
        assert zero == want_zero
        want = np.clip(np.rint(x / (want_scale or 1)) + want_zero, 0, 255) if want_scale else np.zeros_like(x)
        assert np.abs(y.astype(int) - want).max(initial=0) == 0


@given(st.data())
def test_random(data):
    def reference(x):
        x = x.astype(np.float32)
        low, high = min(x.min(initial=0), 0), max(x.max(initial=0), 0)
        scale = np.float32(np.float32(high) - np.float32(low)) / np.float32(255)
        zero = np.uint8(0 if scale == 0 else np.rint(np.clip(-np.float32(low) / scale, 0, 255)))
        y = np.clip(np.rint(x / scale) + zero, 0, 255) if scale else np.zeros(x.shape)
        return y.astype(np.uint8), scale, zero

    check_case(data, "DynamicQuantizeLinear", [draw_array(data, [np.float32], special=False)], None, reference, outputs=3)
