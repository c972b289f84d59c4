"""LinearClassifier of ai.onnx.ml 1."""

import numpy as np
import opgraft
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import compare, run_node
from oracles import check_against_onnxruntime
from random_cases import check_case
from tree_models import TRANSFORMS, transformed

ML = {"domain": "ai.onnx.ml", "domain_version": 1}
NAME = "LinearClassifier"


def attributes(rng, classes, features, strings=False, **more):
    labels = [f"label {i}" for i in range(classes)] if strings else [10 * i - 7 for i in range(classes)]
    return {
        "coefficients": rng.normal(size=classes * features).astype(np.float32).tolist(),
        "intercepts": rng.normal(size=classes).astype(np.float32).tolist(),
        "classlabels_strings" if strings else "classlabels_ints": labels,
    } | more


@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("strings", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.int64])
@pytest.mark.parametrize("shape", [(13, 5), (5,), (1, 5), (0, 5)])
def test_many_classes(transform, strings, dtype, shape):
    rng = np.random.default_rng(0)
    x = rng.integers(-3, 4, shape).astype(dtype)
    for classes in (2, 3, 17):
        attrs = attributes(rng, classes, 5, strings, post_transform=transform, multi_class=classes % 2)
        if shape[0]:
            check_against_onnxruntime(NAME, [x], attrs, outputs=2, tolerance=2e-5, **ML)
        scores = np.atleast_2d(x) @ np.reshape(attrs["coefficients"], (classes, 5)).T + attrs["intercepts"]
        y, z = run_node(NAME, [x], attrs, outputs=2, **ML)
        np.testing.assert_allclose(z, transformed(scores, transform), rtol=1e-3, atol=1e-4)
        assert y.tolist() == [attrs["classlabels_strings" if strings else "classlabels_ints"][i] for i in scores.argmax(1)]


@pytest.mark.parametrize("transform", TRANSFORMS[:4])
@pytest.mark.parametrize("strings", [False, True])
def test_one_score_for_two_classes(transform, strings):
    labels = {"classlabels_strings": ["no", "yes"]} if strings else {"classlabels_ints": [5, 7]}
    attrs = {"coefficients": [0.5, -1.0], "intercepts": [0.25], "post_transform": transform} | labels
    x = np.array([[1, 2], [3, 1], [-0.5, 0], [0.5, 0.5], [9, 9]], np.float32)
    check_against_onnxruntime(NAME, [x], attrs, outputs=2, **ML)


def test_probit_of_two_classes():
    attrs = {"coefficients": [1.0], "intercepts": [0.0], "post_transform": "PROBIT", "classlabels_ints": [0, 1]}
    y, z = run_node(NAME, [np.array([[0.75]], np.float32)], attrs, outputs=2, **ML)
    np.testing.assert_allclose(z, [[-0.6744898, 0.6744898]], atol=3e-3)
    assert y.tolist() == [1]


@pytest.mark.parametrize("strings", [False, True])
def test_one_class(strings):
    labels = {"classlabels_strings": ["yes"]} if strings else {"classlabels_ints": [7]}
    attrs = {"coefficients": [1.0], "intercepts": [0.5]} | labels
    y, z = run_node(NAME, [np.array([[1], [-1]], np.float32)], attrs, outputs=2, **ML)
    assert y.tolist() == (["1", "0"] if strings else [1, 0]) and z.tolist() == [[1.5], [-0.5]]


def test_without_intercepts_and_labels_alone():
    rng = np.random.default_rng(1)
    attrs = attributes(rng, 4, 3)
    del attrs["intercepts"]
    x = rng.normal(size=(9, 3)).astype(np.float32)
    y, z = run_node(NAME, [x], attrs, outputs=2, **ML)
    compare(z, (x @ np.reshape(attrs["coefficients"], (4, 3)).T).astype(np.float32))
    assert run_node(NAME, [x], attrs, outputs=1, **ML)[0].tolist() == y.tolist()


@pytest.mark.parametrize(
    "changes,message",
    [
        ({"coefficients": [1.0, 2.0]}, "coefficients has 2 entries, which are not 3 rows of the same length"),
        ({"coefficients": [1.0, 2.0, 3.0]}, "X has 2 features, the attributes are made for 1"),
        ({"intercepts": [1.0, 2.0]}, "there are 3 class labels for 2 intercepts"),
        ({"intercepts": [1.0]}, "there are 3 class labels for 1 intercepts"),
        ({"classlabels_strings": ["a"]}, "both classlabels_strings and classlabels_ints given"),
        ({"post_transform": "Y"}, 'post_transform is "Y"'),
    ],
)
def test_errors(changes, message):
    attrs = attributes(np.random.default_rng(0), 3, 2) | changes
    for symbolic in (False, True):
        with pytest.raises(opgraft.Error, match=message.replace("attributes", "(attributes|coefficients)")):
            run_node(NAME, [np.zeros((1, 2), np.float32)], attrs, outputs=2, symbolic=symbolic, **ML)


@given(st.data())
def test_random(data):
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    classes, features = data.draw(st.integers(2, 20)), data.draw(st.integers(1, 40))
    attrs = attributes(rng, classes, features, data.draw(st.booleans()), post_transform=data.draw(st.sampled_from(TRANSFORMS[:3])))
    dtype = data.draw(st.sampled_from([np.float32, np.float64, np.int32, np.int64]))
    x = (3 * rng.normal(size=(data.draw(st.sampled_from([0, 1, 2, 15, 16, 65])), features))).astype(dtype)
    labels = attrs.get("classlabels_strings") or attrs["classlabels_ints"]

    def reference(x, coefficients, intercepts, post_transform, **_):
        scores = x.astype(np.float32).astype(np.float64) @ np.reshape(coefficients, (classes, features)).T + intercepts
        names = np.array(labels, object if isinstance(labels[0], str) else np.int64)
        return names[scores.argmax(1)], transformed(scores, post_transform).astype(np.float32)

    check_case(data, NAME, [x], attrs, reference, outputs=2, tolerance=1e-4, **ML)
