"""Random decision trees: what they give in NumPy, and the attributes of the operators of ai.onnx.ml that hold them.

A tree is a leaf, a list of votes (target, weight), or a node (mode, feature, value, nan_is_true, yes, no)."""

import numpy as np
from onnx import numpy_helper

MODES = ["BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ", "BRANCH_MEMBER"]
# ONNX has NaN take the false branch, and the engines the true one of "not equal".
TESTS = [np.less_equal, np.less, np.greater_equal, np.greater, np.equal, np.not_equal, lambda x, values: np.isin(x, values)]
AGGREGATES = ["AVERAGE", "SUM", "MIN", "MAX"]
TRANSFORMS = ["NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"]


def grow(rng, depth, features, targets, modes=range(6), nan=False, several=True):
    """A tree whose numbers are multiples of 1/8, so that sums are exact. Each leaf has at least one vote."""
    if depth == 0 or rng.integers(0, 6) == 0:
        count = int(rng.integers(1, targets + 1)) if several else 1
        return [(int(t), float(rng.integers(-16, 17) / 8)) for t in rng.permutation(targets)[:count]]
    mode = int(rng.choice(list(modes)))
    value = float(rng.integers(-4, 5) / 2)
    if mode == 6:
        value = sorted({float(v) for v in rng.integers(0, 6, 3)})
    branches = [grow(rng, depth - 1, features, targets, modes, nan, several) for _ in range(2)]
    return (mode, int(rng.integers(0, features)), value, bool(nan and rng.integers(0, 2)), *branches)


def draw_rows(rng, rows, features, dtype=np.float32, nan=False):
    x = (rng.integers(-5, 6, (rows, features)) / 2).astype(dtype)
    if nan and x.size:
        x[rng.random(x.shape) < 0.2] = np.nan
    return x


def votes_of(tree, row):
    while isinstance(tree, tuple):
        mode, feature, value, nan_is_true, yes, no = tree
        x = row[feature]
        tree = yes if TESTS[mode](x, value) or (nan_is_true and np.isnan(x)) else no
    return tree


def total(trees, x, targets, aggregate="SUM"):
    """Aggregated votes [N, targets] in double precision, and which had any."""
    result, seen = np.zeros((len(x), targets)), np.zeros((len(x), targets), bool)
    pick = {"MIN": min, "MAX": max}.get(aggregate, lambda a, b: a + b)
    for i, row in enumerate(x):
        for tree in trees:
            for target, weight in votes_of(tree, row):
                result[i, target] = pick(result[i, target], weight) if seen[i, target] else weight
                seen[i, target] = True
    return (result / len(trees) if aggregate == "AVERAGE" else result), seen


def probit(p):
    x = 2 * p - 1
    with np.errstate(all="ignore"):
        log = np.log((1 - x) * (1 + x))
        half = 2 / (np.pi * 0.147) + log / 2
        return np.sqrt(2) * np.sign(x) * np.sqrt(np.sqrt(half**2 - log / 0.147) - half)


def transformed(scores, transform):
    if transform == "PROBIT":
        return probit(scores)
    if transform == "NONE" or scores.shape[1] == 1:
        return scores
    if transform == "LOGISTIC":
        return 1 / (1 + np.exp(-scores))
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    if transform == "SOFTMAX_ZERO":
        powers[np.abs(scores) <= 1e-7] = 0
    with np.errstate(all="ignore"):
        return powers / powers.sum(axis=1, keepdims=True)


def numbered(trees, votes="target", double=False):
    """Attributes of TreeEnsembleRegressor (votes "target") or TreeEnsembleClassifier ("class")."""
    lists = {key: [] for key in "treeids nodeids featureids values modes truenodeids falsenodeids missing_value_tracks_true".split()}
    leaves = {key: [] for key in "treeids nodeids ids weights".split()}

    def add(number, tree):
        at = sum(t == number for t in lists["treeids"])
        leaf = isinstance(tree, list)
        mode, feature, value, nan_is_true, *branches = ("LEAF", 0, 0.0, False) if leaf else (MODES[tree[0]], *tree[1:])
        position = len(lists["treeids"])
        for key, item in zip(lists, (number, at, feature, value, mode, 0, 0, int(nan_is_true))):
            lists[key].append(item)
        if leaf:
            for target, weight in tree:
                for key, item in zip(leaves, (number, at, target, weight)):
                    leaves[key].append(item)
            return at
        # The false branch stands next to its node: onnxruntime wants it so.
        lists["falsenodeids"][position] = add(number, branches[1])
        lists["truenodeids"][position] = add(number, branches[0])
        return at

    for number, tree in enumerate(trees):
        add(number, tree)
    attrs = {f"nodes_{key}": items for key, items in lists.items()} | {f"{votes}_{key}": items for key, items in leaves.items()}
    if double:
        for key in ("nodes_values", f"{votes}_weights"):
            attrs[key + "_as_tensor"] = numpy_helper.from_array(np.array(attrs.pop(key), np.float64), key)
    return attrs


def packed(trees, dtype=np.float32):
    """Attributes of TreeEnsemble; leaves have one vote each."""
    lists = {key: [] for key in "featureids splits modes truenodeids trueleafs falsenodeids falseleafs missing_value_tracks_true".split()}
    targets, weights, sets = [], [], {}

    def add(tree):
        if isinstance(tree, list):
            ((target, weight),) = tree
            targets.append(target)
            weights.append(weight)
            return len(targets) - 1, 1
        mode, feature, value, nan_is_true, yes, no = tree
        at = len(lists["modes"])
        if mode == 6:
            sets[at] = value
            value = 0.0
        for key, item in zip(lists, (feature, value, mode, 0, 0, 0, 0, int(nan_is_true))):
            lists[key].append(item)
        for side, branch in (("false", no), ("true", yes)):
            lists[side + "nodeids"][at], lists[side + "leafs"][at] = add(branch)
        return at, 0

    roots = []
    for tree in trees:
        if isinstance(tree, list):  # a single leaf is a node with equal branches
            tree = (0, 0, 0.0, False, tree, tree)
            at, _ = add(tree)
            lists["truenodeids"][at] = lists["falsenodeids"][at]
            targets.pop()
            weights.pop()
        else:
            at, _ = add(tree)
        roots.append(at)
    attrs = {f"nodes_{key}": items for key, items in lists.items()}
    tensor = lambda name, values, kind: numpy_helper.from_array(np.array(values, kind), name)
    attrs["nodes_splits"] = tensor("nodes_splits", attrs["nodes_splits"], dtype)
    attrs["nodes_modes"] = tensor("nodes_modes", attrs["nodes_modes"], np.uint8)
    attrs |= {"leaf_targetids": targets, "leaf_weights": tensor("leaf_weights", weights, dtype), "tree_roots": roots}
    if sets:
        values = [v for at in sorted(sets) for v in [*sets[at], np.nan]]
        attrs["membership_values"] = tensor("membership_values", values, dtype)
    return attrs
