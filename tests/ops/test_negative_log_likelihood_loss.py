"""Operator NegativeLogLikelihoodLoss."""

import numpy as np
import opgraft
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import compare, run_node
from random_more import check_loss


def nll(scores, labels, weights, reduction, ignored):
    classes = scores.shape[1]
    flat = np.moveaxis(scores, 1, -1).reshape(-1, classes)
    labels = labels.reshape(-1)
    w = np.ones(classes) if weights is None else weights
    kept = labels != ignored
    picked = np.where(kept, labels, 0)
    each = np.where(kept, w[picked], 0)
    loss = -each * flat[np.arange(len(labels)), picked]
    if reduction == "none":
        return loss.reshape(scores.shape[0], *scores.shape[2:])
    return loss.sum() if reduction == "sum" else loss.sum() / each.sum()


@pytest.mark.parametrize("reduction", ["none", "sum", "mean"])
@pytest.mark.parametrize("shape", [(4, 5), (2, 3, 4), (2, 3, 2, 2)])
def test_negative_log_likelihood_loss(reduction, shape):
    rng = np.random.default_rng(0)
    for dtype in (np.float32, np.float64):
        scores = rng.normal(size=shape).astype(dtype)
        labels = rng.integers(0, shape[1], (shape[0], *shape[2:]))
        for weights in (None, rng.uniform(1, 2, shape[1]).astype(dtype)):
            for ignored in (None, 1):
                attrs = {"reduction": reduction} | ({} if ignored is None else {"ignore_index": ignored})
                (got,) = run_node("NegativeLogLikelihoodLoss", [scores, labels, weights], attrs)
                want = nll(scores.astype(np.float64), labels, weights, reduction, ignored)
                compare(got, np.asarray(want, dtype))


def test_wrong_labels():
    with pytest.raises(opgraft.Error, match=r"label 3 is not in \[0, 3\)"):
        run_node("NegativeLogLikelihoodLoss", [np.zeros((1, 3), np.float32), np.array([3])])
    with pytest.raises(opgraft.Error, match='reduction is "avg"'):
        run_node("NegativeLogLikelihoodLoss", [np.zeros((1, 3), np.float32), np.array([1])], {"reduction": "avg"})


@given(st.data())
def test_random(data):
    check_loss(data, "NegativeLogLikelihoodLoss", nll, low=1, high=4)
