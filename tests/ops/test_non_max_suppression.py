"""Operator NonMaxSuppression."""

import numpy as np
import opgraft
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import run_node
from random_cases import check_case, draw_values
from random_more import draw_opset


def reference(boxes, scores, most, threshold, least, centre):
    def corners(b):
        if centre:
            return b[1] - b[3] / 2, b[0] - b[2] / 2, b[1] + b[3] / 2, b[0] + b[2] / 2
        return min(b[0], b[2]), min(b[1], b[3]), max(b[0], b[2]), max(b[1], b[3])

    result = []
    for n in range(boxes.shape[0]):
        for c in range(scores.shape[1]):
            kept = []
            for i in sorted(range(boxes.shape[1]), key=lambda i: (-scores[n, c, i], i)):
                if len(kept) >= most or (least is not None and scores[n, c, i] <= least):
                    continue
                a = corners(boxes[n, i])
                for j in kept:
                    b = corners(boxes[n, j])
                    common = max(min(a[2], b[2]) - max(a[0], b[0]), 0) * max(min(a[3], b[3]) - max(a[1], b[1]), 0)
                    union = (a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - common
                    if common > threshold * union:
                        break
                else:
                    kept.append(i)
                    result.append([n, c, i])
    return np.array(result, np.int64).reshape(-1, 3)


@pytest.mark.parametrize("centre", [0, 1])
def test_non_max_suppression(centre):
    rng = np.random.default_rng(0)
    boxes = rng.uniform(0, 1, (2, 40, 4)).astype(np.float32)
    scores = rng.uniform(0, 1, (2, 3, 40)).astype(np.float32)
    for most in (0, 1, 5, 100):
        for threshold in (0.0, 0.3, 1.0):
            for least in (None, 0.5):
                bound = None if least is None else np.array([least], np.float32)
                inputs = [boxes, scores, np.array([most]), np.array([threshold], np.float32), bound]
                (got,) = run_node("NonMaxSuppression", inputs, {"center_point_box": centre})
                np.testing.assert_array_equal(got, reference(boxes, scores, most, threshold, least, centre))


def test_wrong_arguments():
    boxes, scores = np.zeros((1, 2, 4), np.float32), np.zeros((1, 1, 3), np.float32)
    with pytest.raises(opgraft.Error, match="must be"):
        run_node("NonMaxSuppression", [boxes, scores, np.array([1])])
    with pytest.raises(opgraft.Error, match="iou_threshold = 2"):
        run_node("NonMaxSuppression", [boxes, scores[..., :2], np.array([1]), np.array([2], np.float32)])


@given(st.data())
def test_random(data):
    batch, count, classes = (data.draw(st.integers(0, most), label="size") for most in (2, 20, 3))
    # Eighths: all areas are exact, equal scores and empty boxes occur.
    boxes, scores = draw_values(data, (batch, count, 4), np.int32, 0, 8) / 8, draw_values(data, (batch, classes, count), np.int32, 1, 9) / 8
    centre, most = data.draw(st.integers(0, 1)), data.draw(st.integers(0, 9))
    threshold, least = data.draw(st.sampled_from([0.0, 0.25, 0.5, 1.0])), data.draw(st.sampled_from([None, 0.5]))
    inputs = [boxes.astype(np.float32), scores.astype(np.float32), np.array([most]), np.array([threshold], np.float32), None if least is None else np.array([least], np.float32)]
    check_case(
        data, "NonMaxSuppression", inputs, {"center_point_box": centre},
        lambda b, s, *_, **__: reference(b, s, most, threshold, least, centre), opset=draw_opset(data, "NonMaxSuppression"),
    )
