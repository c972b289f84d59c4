"""TreeEnsembleRegressor of ai.onnx.ml 1, 3 and 5."""

import numpy as np
import opgraft
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import numpy_helper
from opgraft.testing import run_node
from oracles import check_against_onnxruntime
from random_cases import check_case
from tree_models import AGGREGATES, TRANSFORMS, draw_rows, grow, numbered, total, transformed

ML = {"domain": "ai.onnx.ml", "domain_version": 3}
NAME = "TreeEnsembleRegressor"


def forest(seed, count, depth, features, targets, modes=range(6), nan=False):
    rng = np.random.default_rng(seed)
    return [grow(rng, depth, features, targets, modes, nan) for _ in range(count)], rng


@pytest.mark.parametrize("aggregate", AGGREGATES)
@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("targets", [1, 3])
def test_aggregates_and_transforms(aggregate, transform, targets):
    trees, rng = forest(3, 7, 4, 5, targets, nan=True)
    base = [0.25, -0.5, 1.0][:targets]
    attrs = numbered(trees) | {"n_targets": targets, "aggregate_function": aggregate, "post_transform": transform}
    for dtype in (np.float32, np.float64, np.int32, np.int64):
        x = draw_rows(rng, 13, 5, dtype, nan=dtype in (np.float32, np.float64))
        want = total(trees, x, targets, aggregate)[0]
        for version in (1, 3, 5):
            ml = ML | {"domain_version": version}
            (got,) = run_node(NAME, [x], attrs, **ml)
            np.testing.assert_allclose(got, transformed(want, transform), rtol=1e-5, atol=1e-6)
            (got,) = run_node(NAME, [x], attrs | {"base_values": base}, **ml)
            np.testing.assert_allclose(got, transformed(want + base, transform), rtol=1e-5, atol=1e-6)
            assert got.dtype == np.float32


@pytest.mark.parametrize("transform", ["NONE", "SOFTMAX", "LOGISTIC", "PROBIT"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("nan", [False, True])
def test_against_onnxruntime(transform, dtype, nan):
    for targets in (1, 3):
        trees, rng = forest(5, 9, 5, 4, targets, nan=nan)
        x = draw_rows(rng, 70, 4, dtype, nan)
        attrs = numbered(trees, double=dtype == np.float64) | {"n_targets": targets, "post_transform": transform}
        if transform == "PROBIT":
            attrs["aggregate_function"] = "MAX"
        check_against_onnxruntime(NAME, [x], attrs, **ML)


def test_doubles_decide():
    # As a float this threshold is 0.1f, which is larger.
    attrs = numbered([(0, 0, 0.1, False, [(0, 1.0)], [(0, 2.0)])], double=True) | {"n_targets": 1}
    assert run_node(NAME, [np.array([[0.1]], np.float32)], attrs, **ML)[0].tolist() == [[2.0]]
    assert run_node(NAME, [np.array([[0.1]], np.float64)], attrs, **ML)[0].tolist() == [[1.0]]


def test_base_values_as_tensor_and_a_target_without_votes():
    base = numpy_helper.from_array(np.array([1.0, 2.0]), "base")
    attrs = numbered([[(0, 1.0)]]) | {"n_targets": 2, "base_values_as_tensor": base}
    assert run_node(NAME, [np.zeros((1, 1), np.float64)], attrs, **ML)[0].tolist() == [[2.0, 2.0]]


def test_weights_of_inner_nodes_and_nodes_without_a_way_to_them_mean_nothing():
    tree = (0, 0, 0.5, False, [(0, 1.0)], [(0, 2.0)])
    attrs = numbered([tree]) | {"n_targets": 1}
    for key, value in (("treeids", 0), ("nodeids", 0), ("ids", 0), ("weights", 100.0)):
        attrs["target_" + key].append(value)
    for key, value in (("treeids", 0), ("nodeids", 9), ("modes", "BRANCH_LT"), ("featureids", 70)):
        attrs["nodes_" + key].append(value)
    for key, value in (("values", 0.0), ("truenodeids", 1), ("falsenodeids", 2), ("missing_value_tracks_true", 0)):
        attrs["nodes_" + key].append(value)
    x = np.array([[0], [1]], np.float32)
    assert run_node(NAME, [x], attrs, **ML)[0].tolist() == [[1.0], [2.0]]


def simple(**changes):
    return numbered([(0, 1, 0.5, False, [(0, 1.0)], [(0, 2.0)])]) | {"n_targets": 1} | changes


@pytest.mark.parametrize(
    "changes,message",
    [
        ({"nodes_truenodeids": [0, 0, 0]}, "node 0 is below itself: trees must have no cycles"),
        ({"nodes_truenodeids": [8, 0, 0]}, "nodes_truenodeids names node 8 of tree 0, which is not there"),
        ({"nodes_nodeids": [0, 1, 1]}, "node 1 of tree 0 is there twice"),
        ({"nodes_treeids": [0, 1]}, "nodes_modes has 3 entries, another nodes_ list has 2"),
        ({"nodes_values": [0.0]}, "3 node modes but 1 node values"),
        ({"nodes_modes": ["BRANCH", "LEAF", "LEAF"]}, 'nodes_modes has "BRANCH", expected BRANCH_LEQ'),
        ({"nodes_missing_value_tracks_true": [1]}, "3 node modes but 1 missing value tracks"),
        ({"nodes_featureids": [2, 0, 0]}, "a node asks for feature 2, X has 2 features"),
        ({"target_nodeids": [1, 7]}, "target_nodeids names node 7 of tree 0"),
        ({"target_ids": [0, -1]}, "votes for target -1, there are 1"),
        ({"target_weights": [1.0]}, "target_ids has 2 entries, another target_ list has 1"),
        ({"base_values": [1.0, 2.0]}, r"base_values has 2 entries, it must have one per target \(1\) or none"),
        ({"n_targets": -3}, "n_targets = -3 must be at least 1"),
        ({"aggregate_function": "MEAN"}, 'aggregate_function is "MEAN", expected AVERAGE, SUM, MIN or MAX'),
        ({"post_transform": "TANH"}, 'post_transform is "TANH", expected NONE, SOFTMAX'),
    ],
)
def test_errors(changes, message):
    with pytest.raises(opgraft.Error, match=message):
        run_node(NAME, [np.zeros((1, 2), np.float32)], simple(**changes), **ML)


def test_a_list_given_twice():
    values = numpy_helper.from_array(np.zeros(3), "v")
    with pytest.raises(opgraft.Error, match="nodes_values and nodes_values_as_tensor are both given"):
        run_node(NAME, [np.zeros((1, 2), np.float64)], simple(nodes_values_as_tensor=values), **ML)


@given(st.data())
def test_random(data):
    seed, count = data.draw(st.integers(0, 2**32 - 1)), data.draw(st.integers(1, 30))
    features, targets = data.draw(st.integers(1, 9)), data.draw(st.integers(1, 5))
    nan = data.draw(st.booleans())
    trees, rng = forest(seed, count, data.draw(st.integers(0, 6)), features, targets, nan=nan)
    dtype = data.draw(st.sampled_from([np.float32, np.float64, np.int32, np.int64]))
    aggregate, transform = data.draw(st.sampled_from(AGGREGATES)), data.draw(st.sampled_from(TRANSFORMS[:3]))
    x = draw_rows(rng, data.draw(st.sampled_from([0, 1, 7, 8, 9, 64, 65, 130])), features, dtype, nan and dtype().dtype.kind == "f")
    attrs = numbered(trees) | {"n_targets": targets, "aggregate_function": aggregate, "post_transform": transform}
    reference = lambda x, **_: transformed(total(trees, x, targets, aggregate)[0], transform).astype(np.float32)
    check_case(data, NAME, [x], attrs, reference, **ML)
