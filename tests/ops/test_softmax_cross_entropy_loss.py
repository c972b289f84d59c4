"""Operator SoftmaxCrossEntropyLoss."""

import numpy as np
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
def test_softmax_cross_entropy_loss(reduction, shape):
    rng = np.random.default_rng(0)
    scores = rng.normal(size=shape).astype(np.float32)
    labels = rng.integers(0, shape[1], (shape[0], *shape[2:])).astype(np.int32)
    wide = scores.astype(np.float64)
    logarithms = wide - np.log(np.exp(wide).sum(1, keepdims=True))
    for weights in (None, rng.uniform(1, 2, shape[1]).astype(np.float32)):
        for ignored in (None, 1):
            attrs = {"reduction": reduction} | ({} if ignored is None else {"ignore_index": ignored})
            loss, probabilities = run_node("SoftmaxCrossEntropyLoss", [scores, labels, weights], attrs, outputs=2)
            compare(loss, np.asarray(nll(logarithms, labels, weights, reduction, ignored), np.float32))
            compare(probabilities, logarithms.astype(np.float32))


@given(st.data())
def test_random(data):
    def reference(scores, *rest):
        moved = scores - scores.max(1, keepdims=True)  # of one class: exactly 0
        logarithms = moved - np.log(np.exp(moved).sum(1, keepdims=True))
        return [nll(logarithms, *rest), logarithms]

    check_loss(data, "SoftmaxCrossEntropyLoss", reference, outputs=2, low=-1, high=1)
