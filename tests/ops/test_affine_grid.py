"""Operator AffineGrid."""

import numpy as np
import opgraft
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import compare, run_node
from random_cases import ALL_FLOATS, check_case, draw_attrs, draw_values


@pytest.mark.parametrize("align", [0, 1])
@pytest.mark.parametrize("size", [(2, 3, 4, 5), (1, 1, 2, 3, 4)])
def test_affine_grid(align, size):
    n, spatial = size[0], len(size) - 2
    theta = np.random.default_rng(0).normal(size=(n, spatial, spatial + 1)).astype(np.float32)
    (got,) = run_node("AffineGrid", [theta, np.array(size)], {"align_corners": align})
    axes = [np.linspace(-1, 1, k) if align else (2 * np.arange(k) + 1) / k - 1 for k in size[2:]]
    points = np.stack([*reversed(np.meshgrid(*axes, indexing="ij")), np.ones(size[2:])], -1)
    want = np.einsum("nij,...j->n...i", theta.astype(np.float64), points)
    compare(got, want.astype(np.float32))


def test_theta_must_fit():
    with pytest.raises(opgraft.Error, match="must be"):
        run_node("AffineGrid", [np.zeros((1, 3, 4), np.float32), np.array([1, 1, 2, 2])])


def reference(theta, size, align_corners=0):
    axes = [np.linspace(-1, 1, k) if align_corners else (2 * np.arange(k) + 1) / k - 1 for k in size[2:]]
    points = np.stack([*reversed(np.meshgrid(*axes, indexing="ij")), np.ones(size[2:])], -1)
    return np.einsum("nij,...j->n...i", theta, points)


@given(st.data())
def test_random(data):
    n, spatial = data.draw(st.integers(0, 3)), data.draw(st.integers(2, 3))
    attrs = draw_attrs(data, align_corners=[0, 1])
    least = 2 if attrs.get("align_corners") else 1  # nothing says which corner of one point
    size = [n, 3, *data.draw(st.lists(st.integers(least, 7), min_size=spatial, max_size=spatial))]
    theta = draw_values(data, (n, spatial, spatial + 1), data.draw(st.sampled_from(ALL_FLOATS)), special=False)
    check_case(data, "AffineGrid", [theta, np.array(size)], attrs, reference)
