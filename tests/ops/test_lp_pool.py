"""Operator LpPool."""

import numpy as np
import opgraft
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import compare, run_node
from pool_reference import windows_of
from random_cases import (
    ALL_FLOATS,
    check_case,
    draw_attrs,
    draw_auto_pad,
    draw_opset,
    draw_values,
    draw_windows,
    explicit_pads,
    types_of,
)


@pytest.mark.parametrize("p", [1, 2, 3])
def test_lp_pool(p):
    rng = np.random.default_rng(0)
    for dtype in (np.float32, np.float64):
        for shape, attrs in (
            ((1, 2, 7), {"kernel_shape": [3]}),
            ((2, 3, 8, 9), {"kernel_shape": [3, 2], "strides": [2, 1], "pads": [1, 0, 1, 1]}),
            ((1, 1, 9, 9), {"kernel_shape": [2, 2], "dilations": [2, 3]}),
        ):
            x = rng.normal(size=shape).astype(dtype)
            (got,) = run_node("LpPool", [x], attrs | {"p": p})
            kernel, n = attrs["kernel_shape"], len(attrs["kernel_shape"])
            pads = attrs.get("pads", [0] * 2 * n)
            padded = np.pad(np.abs(x.astype(np.float64)) ** p, [(0, 0), (0, 0), *((pads[i], pads[n + i]) for i in range(n))])
            step, spread = attrs.get("strides", [1] * n), attrs.get("dilations", [1] * n)
            want = np.zeros(got.shape)
            for at in np.ndindex(*got.shape[2:]):
                window = tuple(slice(a * s, a * s + (k - 1) * d + 1, d) for a, s, k, d in zip(at, step, kernel, spread, strict=True))
                want[(..., *at)] = padded[(..., *window)].sum(tuple(range(2, 2 + n))) ** (1 / p)
            compare(got, want.astype(dtype))


def test_p_must_be_positive():
    with pytest.raises(opgraft.Error, match="p is 0, it must be at least 1"):
        run_node("LpPool", [np.ones((1, 1, 4), np.float32)], {"kernel_shape": [2], "p": 0})


@given(st.data())
def test_random(data):
    def lp_pool(x, kernel_shape, p=2, **attrs):
        return windows_of(x, kernel_shape, lambda inside, *_: sum(np.abs(v) ** p for v in inside) ** (1 / p) if inside else 0.0, **attrs)

    opset = draw_opset(data, "LpPool", since=11)
    dilated = opset is None or opset >= 18
    sizes, attrs = draw_windows(data, data.draw(st.integers(1, 3)), dilated)
    attrs |= draw_attrs(data, p=[1, 2, 3], **({"ceil_mode": [0, 1]} if dilated else {}))
    dtype = data.draw(st.sampled_from(types_of("LpPool", opset, ALL_FLOATS)))
    x = draw_values(data, (data.draw(st.integers(0, 2)), data.draw(st.integers(1, 2)), *sizes), dtype, special=False)
    check_case(data, "LpPool", [x], draw_auto_pad(data, attrs), lambda x, **attrs: lp_pool(x, **explicit_pads(x.shape[2:], **attrs)), opset=opset)
