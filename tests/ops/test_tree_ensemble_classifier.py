"""TreeEnsembleClassifier of ai.onnx.ml 1, 3 and 5; onnxruntime decides how two classes are read."""

import numpy as np
import opgraft
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import run_node
from oracles import check_against_onnxruntime
from random_cases import check_case
from tree_models import TRANSFORMS, draw_rows, grow, numbered, total, transformed

ML = {"domain": "ai.onnx.ml", "domain_version": 3}
NAME = "TreeEnsembleClassifier"
LABELS = {"classlabels_int64s": [5, 7, -9, 11]}, {"classlabels_strings": ["a", "β", "", "d"]}


def forest(seed, count, depth, features, classes, nan=False, several=True):
    rng = np.random.default_rng(seed)
    return [grow(rng, depth, features, classes, range(6), nan, several) for _ in range(count)], rng


def labelled(kind, classes):
    ((name, labels),) = LABELS[kind].items()
    return {name: labels[:classes]}


@pytest.mark.parametrize("kind", [0, 1])
@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("base", [None, [0.5, -0.25, 0.125, 1.0]])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.int64])
def test_four_classes(kind, transform, base, dtype):
    trees, rng = forest(4, 6, 4, 3, 4)
    attrs = numbered(trees, "class") | labelled(kind, 4) | {"post_transform": transform} | ({"base_values": base} if base else {})
    x = draw_rows(rng, 33, 3, dtype)
    check_against_onnxruntime(NAME, [x], attrs, outputs=2, **ML)
    scores = total(trees, x, 4)[0] + (base or 0)
    for version in (1, 3, 5):
        y, z = run_node(NAME, [x], attrs, outputs=2, **ML | {"domain_version": version})
        np.testing.assert_allclose(z, transformed(scores, transform), rtol=1e-5, atol=1e-6)
        assert y.tolist() == [next(iter(labelled(kind, 4).values()))[i] for i in scores.argmax(1)]


def leaves(*votes):
    """One tree whose leaves have these votes, told apart by the feature."""
    tree = list(votes[-1])
    for i, vote in reversed([*enumerate(votes[:-1])]):
        tree = (0, 0, float(i), False, list(vote), tree)
    return tree


# Votes for both classes; for the second alone; for the first alone; one for each.
TWO = {
    "both": ([(0, 0.75), (1, 0.25)], [(0, 0.25), (1, 0.75)]),
    "both, mixed": ([(0, 0.75), (1, -0.25)], [(0, -0.25), (1, 0.75)]),
    "second": ([(1, 0.25)], [(1, 0.75)], [(1, 0.5)]),
    "second, mixed": ([(1, -0.25)], [(1, 0.75)], [(1, 0.0)]),
    "first": ([(0, 0.25)], [(0, 0.75)], [(0, 0.5)]),
    "first, mixed": ([(0, -0.25)], [(0, 0.75)], [(0, 0.0)]),
    "one for each": ([(0, 0.25)], [(1, 0.75)]),
    "none for some": ([(0, 0.25)], [], [(0, 0.75)]),
}


@pytest.mark.parametrize("votes", TWO)
@pytest.mark.parametrize("kind", [0, 1])
@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("base", [None, [0.125], [0.125, 0.25]])
def test_two_classes(votes, kind, transform, base):
    attrs = numbered([leaves(*TWO[votes])], "class") | labelled(kind, 2) | {"post_transform": transform}
    if base:
        attrs["base_values"] = base
    both = len(base or []) == 2 or votes in ("both", "both, mixed", "second", "second, mixed")
    if not both and (transform == "PROBIT" or (votes == "one for each" and base)):
        return  # onnxruntime leaves the second score as it finds it
    x = np.arange(len(TWO[votes]), dtype=np.float32).reshape(-1, 1)
    check_against_onnxruntime(NAME, [x], attrs, outputs=2, **ML)


@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("base", [None, [0.125]])
def test_one_class(transform, base):
    attrs = numbered([leaves([(0, 0.25)], [(0, -0.75)])], "class") | {"post_transform": transform}
    if base:
        attrs["base_values"] = base
    x = np.array([[0], [1]], np.float32)
    check_against_onnxruntime(NAME, [x], attrs | labelled(0, 1), outputs=2, **ML)
    y, z = run_node(NAME, [x], attrs | labelled(1, 1), outputs=2, **ML)
    assert y.tolist() == ["a", "a"] and z.shape == (2, 1)


def test_labels_alone():
    trees, rng = forest(2, 5, 3, 4, 3)
    x = draw_rows(rng, 9, 4)
    attrs = numbered(trees, "class") | labelled(1, 3)
    (y,) = run_node(NAME, [x], attrs, outputs=1, **ML)
    assert y.tolist() == run_node(NAME, [x], attrs, outputs=2, **ML)[0].tolist()


def test_rows_where_no_class_has_votes():
    attrs = numbered([leaves([(1, 0.25)], [])], "class") | labelled(0, 3)
    y, z = run_node(NAME, [np.array([[0], [1]], np.float32)], attrs, outputs=2, **ML)
    assert y.tolist() == [7, 5] and z.tolist() == [[0, 0.25, 0], [0, 0, 0]]


@pytest.mark.parametrize(
    "changes,message",
    [
        ({"classlabels_strings": ["a", "b", "c"]}, "both classlabels_strings and classlabels_int64s given"),
        ({"classlabels_int64s": []}, "neither classlabels_strings nor classlabels_int64s given; exactly one"),
        ({"classlabels_int64s": [1]}, "a leaf votes for target 1, there are 1"),
        ({"base_values": [1.0, 2.0]}, r"base_values has 2 entries, it must have one per class \(3\) or none"),
        ({"class_weights": [1.0]}, "class_ids has 2 entries, another class_ list has 1"),
        ({"class_treeids": [0, 4]}, "class_nodeids names node 2 of tree 4, which is not there"),
        ({"nodes_truenodeids": [0, 0, 0]}, "node 0 is below itself"),
        ({"nodes_featureids": [4, 0, 0]}, "a node asks for feature 4, X has 1 features"),
        ({"post_transform": "X"}, 'post_transform is "X", expected NONE'),
    ],
)
def test_errors(changes, message):
    attrs = numbered([leaves([(0, 0.25)], [(1, 0.5)])], "class") | labelled(0, 3) | changes
    if changes.get("classlabels_int64s") == []:
        del attrs["classlabels_int64s"]
    with pytest.raises(opgraft.Error, match=message):
        run_node(NAME, [np.zeros((1, 1), np.float32)], attrs, outputs=2, **ML)


@given(st.data())
def test_random(data):
    seed, count = data.draw(st.integers(0, 2**32 - 1)), data.draw(st.integers(1, 30))
    features, classes = data.draw(st.integers(1, 9)), data.draw(st.integers(3, 4))
    nan = data.draw(st.booleans())
    trees, rng = forest(seed, count, data.draw(st.integers(0, 6)), features, classes, nan)
    dtype = data.draw(st.sampled_from([np.float32, np.float64, np.int32, np.int64]))
    transform, kind = data.draw(st.sampled_from(TRANSFORMS[:3])), data.draw(st.integers(0, 1))
    x = draw_rows(rng, data.draw(st.sampled_from([0, 1, 7, 8, 9, 64, 65, 130])), features, dtype, nan and dtype().dtype.kind == "f")
    labels = labelled(kind, classes)

    def reference(x, **_):
        scores, seen = total(trees, x, classes)
        best = np.where(seen, scores, -np.inf).argmax(1)
        names = np.array(next(iter(labels.values())), object if kind else np.int64)
        return names[best], transformed(scores, transform).astype(np.float32)

    attrs = numbered(trees, "class") | labels | {"post_transform": transform}
    check_case(data, NAME, [x], attrs, reference, outputs=2, **ML)
