"""TreeEnsemble of ai.onnx.ml 5."""

import numpy as np
import opgraft
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import numpy_helper
from opgraft.testing import check_op, run_node
from oracles import check_against_onnxruntime
from random_cases import check_case
from tree_models import AGGREGATES, TRANSFORMS, draw_rows, grow, packed, total, transformed

ML = {"domain": "ai.onnx.ml", "domain_version": 5}


def forest(seed, count, depth, features, targets, modes=range(7), nan=False):
    rng = np.random.default_rng(seed)
    return [grow(rng, depth, features, targets, modes, nan, several=False) for _ in range(count)], rng


def attributes(trees, targets, aggregate="SUM", transform="NONE", dtype=np.float32):
    return packed(trees, dtype) | {
        "n_targets": targets,
        "aggregate_function": AGGREGATES.index(aggregate),
        "post_transform": TRANSFORMS.index(transform),
    }


@pytest.mark.parametrize("aggregate", AGGREGATES)
@pytest.mark.parametrize("transform", TRANSFORMS)
def test_aggregates_and_transforms(aggregate, transform):
    trees, rng = forest(3, 7, 4, 5, 3, nan=True)
    for dtype in (np.float32, np.float64, np.float16):
        x = draw_rows(rng, 13, 5, dtype, nan=True)
        attrs = attributes(trees, 3, aggregate, transform, dtype)
        want = transformed(total(trees, x, 3, aggregate)[0], transform)
        (got,) = run_node("TreeEnsemble", [x], attrs, **ML)
        np.testing.assert_allclose(got, want, rtol=4e-3 if dtype == np.float16 else 1e-5, atol=1e-6)
        assert got.dtype == dtype


@pytest.mark.parametrize("modes", [[0], [1], [2], [3], [4], [5], [6], range(7)])
@pytest.mark.parametrize("nan", [False, True])
def test_modes_against_onnxruntime(modes, nan):
    trees, rng = forest(5, 5, 4, 3, 2, modes, nan)
    x = draw_rows(rng, 29, 3, nan=True)
    check_against_onnxruntime("TreeEnsemble", [x], attributes(trees, 2), **ML)


@pytest.mark.parametrize("rows,count", [(0, 3), (1, 1), (1, 400), (8, 400), (1000, 20), (65, 1)])
@pytest.mark.parametrize("targets", [1, 4])
@pytest.mark.parametrize("aggregate", AGGREGATES)
def test_many_rows_and_many_trees(rows, count, targets, aggregate):
    trees, rng = forest(rows + count, count, 5, 4, targets, [0])
    x = draw_rows(rng, rows, 4)
    want = total(trees, x, targets, aggregate)[0].astype(np.float32)
    for threads in (1, 4):
        (got,) = run_node("TreeEnsemble", [x], attributes(trees, targets, aggregate), threads=threads, **ML)
        np.testing.assert_allclose(got, want, rtol=1e-6)


def test_a_tree_may_be_a_leaf_and_branches_may_be_shared():
    attrs = attributes([[(0, 2.5)]], 1)
    assert run_node("TreeEnsemble", [np.zeros((2, 1), np.float32)], attrs, **ML)[0].tolist() == [[2.5], [2.5]]
    # Nodes 1 and 2 both go on to node 3.
    tensor = lambda values, kind=np.float32: numpy_helper.from_array(np.array(values, kind))
    attrs = {
        "nodes_modes": tensor([0, 0, 0, 0], np.uint8),
        "nodes_featureids": [0, 1, 1, 2],
        "nodes_splits": tensor([0, -1, 1, 0]),
        "nodes_truenodeids": [1, 0, 3, 1],
        "nodes_trueleafs": [0, 1, 0, 1],
        "nodes_falsenodeids": [2, 3, 0, 2],
        "nodes_falseleafs": [0, 0, 1, 1],
        "leaf_targetids": [0, 0, 0],
        "leaf_weights": tensor([1, 2, 3]),
        "tree_roots": [0],
        "n_targets": 1,
    }
    x = np.array([[-1, -2, 0], [-1, 5, 0], [-1, 5, 1], [1, 0, 1], [1, 5, 1]], np.float32)
    (got,) = run_node("TreeEnsemble", [x], attrs, **ML)
    assert got[:, 0].tolist() == [1, 2, 3, 3, 1]


def test_one_row_without_batch_axis():
    trees, rng = forest(1, 3, 3, 4, 2)
    x = draw_rows(rng, 1, 4)
    attrs = attributes(trees, 2)
    assert run_node("TreeEnsemble", [x[0]], attrs, **ML)[0].tolist() == run_node("TreeEnsemble", [x], attrs, **ML)[0].tolist()


def broken(**changes):
    tensor = lambda values, kind=np.float32: numpy_helper.from_array(np.array(values, kind))
    attrs = {
        "nodes_modes": tensor([0, 0], np.uint8),
        "nodes_featureids": [0, 0],
        "nodes_splits": tensor([0, 1]),
        "nodes_truenodeids": [1, 0],
        "nodes_trueleafs": [0, 1],
        "nodes_falsenodeids": [0, 1],
        "nodes_falseleafs": [1, 1],
        "leaf_targetids": [0, 0],
        "leaf_weights": tensor([1, 2]),
        "tree_roots": [0],
        "n_targets": 1,
    }
    return attrs | {key: tensor(*v) if isinstance(v, tuple) else v for key, v in changes.items()}


@pytest.mark.parametrize(
    "changes,message",
    [
        ({"nodes_trueleafs": [0, 0]}, "node 0 is below itself: trees must have no cycles"),
        ({"nodes_truenodeids": [7, 0]}, "a branch leads to node 7, there are 2"),
        ({"nodes_truenodeids": [1, 5]}, "a branch leads to leaf 5, there are 2"),
        ({"nodes_truenodeids": [1, -5]}, "node 1 has the branch -5"),
        ({"tree_roots": [2]}, "a branch leads to node 2"),
        ({"tree_roots": [-1]}, "tree_roots has -1"),
        ({"nodes_featureids": [0]}, "2 node modes but 1 feature ids"),
        ({"nodes_featureids": [0, 3]}, "a node asks for feature 3, X has 2 features"),
        ({"nodes_featureids": [0, -3]}, "feature id -3 of node 1 is out of range"),
        ({"nodes_trueleafs": [0]}, "nodes_trueleafs has 1 entries for 2 nodes"),
        ({"leaf_targetids": [0, 1]}, "votes for target 1, there are 1"),
        ({"leaf_targetids": [0]}, "leaf_targetids has 1 entries, leaf_weights has 2"),
        ({"n_targets": 0}, "n_targets = 0 must be at least 1"),
        ({"nodes_modes": ([0, 9], np.uint8)}, r"nodes_modes has 9, it must be in \[0, 6\]"),
        ({"nodes_modes": ([0, 6], np.uint8)}, "membership_values has fewer sets"),
        ({"nodes_modes": (["a", "b"], object)}, "a tensor of string cannot be used here"),
        ({"aggregate_function": 4}, r"aggregate_function = 4 must be in \[0, 3\]"),
        ({"post_transform": -1}, r"post_transform = -1 must be in \[0, 4\]"),
    ],
)
def test_errors(changes, message):
    with pytest.raises(opgraft.Error, match=message):
        run_node("TreeEnsemble", [np.zeros((1, 2), np.float32)], broken(**changes), **ML)


def test_three_axes():
    with pytest.raises(opgraft.Error, match=r"X must be \[N, F\], or \[F\] for one row"):
        run_node("TreeEnsemble", [np.zeros((1, 2, 3), np.float32)], broken(), **ML)


def test_a_chain_of_many_nodes():
    count = 50_000
    tensor = lambda values, kind=np.float32: numpy_helper.from_array(np.array(values, kind))
    attrs = {
        "nodes_modes": tensor([0] * count, np.uint8),
        "nodes_featureids": [0] * count,
        "nodes_splits": tensor(range(count)),
        "nodes_truenodeids": [0] * count,
        "nodes_trueleafs": [1] * count,
        "nodes_falsenodeids": [*range(1, count), 1],
        "nodes_falseleafs": [0] * (count - 1) + [1],
        "leaf_targetids": [0, 0],
        "leaf_weights": tensor([1, 2]),
        "tree_roots": [0],
        "n_targets": 1,
    }
    x = np.array([[count + 1], [10]], np.float32)
    check_op("TreeEnsemble", inputs=[x], attrs={k: [v] for k, v in attrs.items()}, reference=lambda x, **_: np.array([[2.0], [1.0]]), **ML)


@given(st.data())
def test_random(data):
    seed, count = data.draw(st.integers(0, 2**32 - 1)), data.draw(st.integers(1, 30))
    features, targets = data.draw(st.integers(1, 9)), data.draw(st.integers(1, 5))
    nan = data.draw(st.booleans())
    trees, rng = forest(seed, count, data.draw(st.integers(0, 7)), features, targets, nan=nan)
    dtype = data.draw(st.sampled_from([np.float32, np.float64, np.float16]))
    aggregate, transform = data.draw(st.sampled_from(AGGREGATES)), data.draw(st.sampled_from(TRANSFORMS[:3]))
    x = draw_rows(rng, data.draw(st.sampled_from([0, 1, 7, 8, 9, 64, 65, 130])), features, dtype, nan)
    attrs = attributes(trees, targets, aggregate, transform, dtype)
    reference = lambda x, **_: transformed(total(trees, x, targets, aggregate)[0], transform)
    check_case(data, "TreeEnsemble", [x], attrs, reference, **ML)
