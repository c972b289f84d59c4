"""Operator RotaryEmbedding."""

import numpy as np
import opgraft
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import compare, run_node
from random_cases import check_case, draw_values
from random_more import types_of


def reference(x, cosines, sines, interleaved, turned):
    """x [batch, heads, length, width], caches [batch, length, turned / 2]."""
    part, rest = x[..., :turned], x[..., turned:]
    pairs = (part[..., 0::2], part[..., 1::2]) if interleaved else np.split(part, 2, -1)
    whole = (pairs[0] + 1j * pairs[1]) * (cosines + 1j * sines)[:, None]
    both = [whole.real, whole.imag]
    part = np.stack(both, -1).reshape(part.shape) if interleaved else np.concatenate(both, -1)
    return np.concatenate([part, rest], -1)


@pytest.mark.parametrize("interleaved", [0, 1])
@pytest.mark.parametrize("turned", [0, 4])
@pytest.mark.parametrize("indexed", [True, False])
def test_rotary_embedding(interleaved, turned, indexed):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(2, 3, 5, 8)).astype(np.float32)
    half = (turned or 8) // 2
    angles = rng.normal(size=(10, half))
    positions = rng.integers(0, 10, (2, 5))
    picked = angles[positions]
    caches = [f(angles if indexed else picked).astype(np.float32) for f in (np.cos, np.sin)]
    attrs = {"interleaved": interleaved, "rotary_embedding_dim": turned}
    want = reference(x.astype(np.float64), np.cos(picked), np.sin(picked), interleaved, turned or 8).astype(np.float32)
    (got,) = run_node("RotaryEmbedding", [x, *caches, positions if indexed else None], attrs)
    compare(got, want)
    flat = x.transpose(0, 2, 1, 3).reshape(2, 5, 24)
    (got,) = run_node("RotaryEmbedding", [flat, *caches, positions if indexed else None], attrs | {"num_heads": 3})
    compare(got, want.transpose(0, 2, 1, 3).reshape(2, 5, 24))


def test_wrong_positions():
    x, cache = np.zeros((1, 1, 2, 4), np.float32), np.zeros((3, 2), np.float32)
    with pytest.raises(opgraft.Error, match=r"position 3 is not in \[0, 3\)"):
        run_node("RotaryEmbedding", [x, cache, cache, np.array([[0, 3]])])


@given(st.data())
def test_random(data):
    dtype = data.draw(st.sampled_from(types_of("RotaryEmbedding")), label="dtype")
    batch, heads, length, half = (data.draw(st.integers(low, 9), label="size") for low in (0, 1, 0, 1))
    width = 2 * half + (data.draw(st.sampled_from([0, 1, 4])))
    interleaved, turned = data.draw(st.integers(0, 1)), 2 * half if width > 2 * half else data.draw(st.sampled_from([0, 2 * half]))
    x, positions = draw_values(data, (batch, length, heads, width), dtype), draw_values(data, (batch, length), np.int64, 0, 9)
    angles = draw_values(data, (10, half), np.float32)
    indexed, flat = data.draw(st.booleans(), label="position_ids"), data.draw(st.booleans(), label="3 axes")
    caches = [f(angles if indexed else angles[positions]).astype(dtype) for f in (np.cos, np.sin)]

    def want(x, cosines, sines, positions=None, **_):
        caches = (cosines, sines) if positions is None else (cosines[positions], sines[positions])
        by_heads = x.reshape(batch, length, heads, width).transpose(0, 2, 1, 3) if flat else x
        with np.errstate(all="ignore"):
            y = reference(by_heads, *caches, interleaved, turned or width)
        return y.transpose(0, 2, 1, 3).reshape(x.shape) if flat else y

    x = np.nan_to_num(x.astype(np.float64), nan=0, posinf=0, neginf=0).astype(dtype)
    x = x.reshape(batch, length, heads * width) if flat else x.transpose(0, 2, 1, 3)
    attrs = {"interleaved": interleaved, "rotary_embedding_dim": turned} | ({"num_heads": heads} if flat else {})
    check_case(data, "RotaryEmbedding", [x, *caches, positions if indexed else None], attrs, want)
