"""Operator Split."""

import numpy as np
import opgraft
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import check_op, run_node
from random_cases import draw_axis
from random_more import check_moved, draw_moved, draw_opset

X = np.arange(60).astype(np.float32).reshape(3, 5, 4)


def test_split_by_sizes():
    for axis, sizes in [(0, [1, 2]), (1, [2, 0, 3]), (-1, [4])]:
        cuts = np.cumsum(sizes)[:-1]
        inputs = [X, np.array(sizes, np.int64)]
        check_op(
            "Split",
            inputs=inputs,
            attrs={"axis": [axis]},
            outputs=len(sizes),
            reference=lambda x, s, axis, c=cuts: np.split(x, c, axis),
        )


def test_split_into_equal_parts():
    check_op(
        "Split",
        inputs=[X],
        attrs={"axis": [2], "num_outputs": [2]},
        outputs=2,
        reference=lambda x, axis, num_outputs: np.split(x, 2, axis),
    )
    want = [X[:, :2], X[:, 2:4], X[:, 4:]]
    check_op("Split", inputs=[X], attrs={"axis": [1], "num_outputs": [3]}, outputs=3, reference=lambda x, **_: want)


def test_split_in_old_opsets():
    halves = np.split(X, 2, 2)
    check_op("Split", inputs=[X], attrs={"axis": [2]}, outputs=2, opset=13, reference=lambda x, axis: halves)
    check_op("Split", inputs=[X], attrs={"axis": [2]}, outputs=2, opset=11, reference=lambda x, axis: halves)
    check_op(
        "Split",
        inputs=[X],
        attrs={"axis": [1], "split": [[1, 4]]},
        outputs=2,
        opset=11,
        reference=lambda x, axis, split: np.split(x, [1], 1),
    )


def test_split_into_parts_with_a_smaller_last_one():
    want = [X[:, :3], X[:, 3:]]
    check_op("Split", inputs=[X], attrs={"axis": [1], "num_outputs": [2]}, outputs=2, reference=lambda x, **_: want)


def test_split_refuses_what_is_not_even():
    with pytest.raises(
        opgraft.Error, match="5 elements cannot be split evenly into 2 parts; give the sizes by `split`"
    ):
        run_node("Split", [X], {"axis": 1}, opset=13, outputs=2)
    with pytest.raises(opgraft.Error, match="5 elements cannot be split evenly into 4 parts"):
        run_node("Split", [X], {"axis": 1, "num_outputs": 4}, outputs=4)
    with pytest.raises(opgraft.Error, match="num_outputs = 3, the node has 2 outputs"):
        run_node("Split", [X], {"axis": 1, "num_outputs": 3}, outputs=2)


@given(st.data())
def test_random(data):
    opset = draw_opset(data, "Split", 2) or 28
    x = draw_moved(data, "Split", opset, min_rank=1)
    axis = draw_axis(data, x.ndim)
    axis = axis % x.ndim if opset < 11 else axis
    cuts = sorted(data.draw(st.lists(st.integers(0, x.shape[axis]), max_size=4)))
    parts, attrs, inputs = np.diff([0, *cuts, x.shape[axis]]).tolist(), {"axis": axis}, [x]
    if opset >= 18 and data.draw(st.booleans(), label="num_outputs"):
        count = data.draw(st.integers(1, max(1, x.shape[axis])))
        each = -(-x.shape[axis] // count)
        count = max(1, -(-x.shape[axis] // each)) if each else count
        cuts, attrs["num_outputs"] = [each * i for i in range(1, count)], count
    elif opset < 13:
        attrs["split"] = parts
    else:
        inputs = [x, np.array(parts, np.int64)]
    check_moved(data, "Split", inputs, attrs, lambda x, *_, **__: np.split(x, cuts, axis), outputs=len(cuts) + 1, opset=opset)
