"""Operator SplitToSequence."""

import numpy as np
import opgraft
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import helper
from random_cases import draw_axis
from random_more import draw_moved, exact
from sequence_models import run_graph


def test_split_to_sequence():
    x = np.arange(24, dtype=np.float32).reshape(4, 6)
    for axis in (0, 1, -1):
        for split in (np.array(3), np.array(2, np.int32), np.array([1, x.shape[axis] - 1]), None):
            feeds = {"x": x} | ({} if split is None else {"split": split})
            for keep in (0, 1):
                node = helper.make_node("SplitToSequence", list(feeds), ["s"], axis=axis, keepdims=keep)
                (s,) = run_graph([node], feeds, ["s"])
                if split is None:
                    want = [part if keep else part.squeeze(axis) for part in np.split(x, x.shape[axis], axis)]
                else:
                    cuts = np.arange(split, x.shape[axis], split) if split.ndim == 0 else np.cumsum(split)[:-1]
                    want = np.split(x, cuts, axis)
                assert len(s) == len(want)
                for got, expected in zip(s, want, strict=True):
                    np.testing.assert_array_equal(got, expected)


def test_parts_must_add_up():
    node = helper.make_node("SplitToSequence", ["x", "split"], ["s"])
    with pytest.raises(opgraft.Error, match="the parts of split add up to 3, the axis has 4"):
        run_graph([node], {"x": np.zeros((4, 2), np.float32), "split": np.array([1, 2])}, ["s"])


@given(st.data())
def test_random(data):
    x = draw_moved(data, "SplitToSequence", 11, min_rank=1, min_size=1)
    axis = draw_axis(data, x.ndim)
    size, way = x.shape[axis], data.draw(st.sampled_from(["none", "scalar", "list"]))
    cuts = sorted(data.draw(st.lists(st.integers(0, size), max_size=4))) if way == "list" else []
    split = {"none": None, "scalar": np.array(data.draw(st.integers(1, size + 2))), "list": np.diff([0, *cuts, size])}[way]
    keep = data.draw(st.integers(0, 1))
    feeds = {"x": x} | ({} if split is None else {"split": split})
    (s,) = run_graph([helper.make_node("SplitToSequence", list(feeds), ["s"], axis=axis, keepdims=keep)], feeds, ["s"])
    cuts = cuts if way == "list" else range(1, size) if way == "none" else range(int(split), size, int(split))
    exact(s, [part.squeeze(axis) if way == "none" and not keep else part for part in np.split(x, cuts, axis)])
