"""What the backend tests leave out is what is really missing, and inference agrees with onnx's on the rest."""

import warnings

import numpy as np
import onnx
import opgraft
from cases import EXCLUDED, MISSING, missing_operator
from inference_parity import differences
from onnx.backend.test.case.node import collect_testcases

# Operators that are not built in yet.
NOT_YET = {
    "": """DeformConv ImageDecoder MelWeightMatrix RegexFullMatch STFT
        TfIdfVectorizer""".split(),
    "ai.onnx.ml": """ArrayFeatureExtractor Binarizer CastMap CategoryMapper DictVectorizer FeatureVectorizer Imputer LabelEncoder
        LinearRegressor OneHotEncoder SVMClassifier SVMRegressor ZipMap""".split(),
    "ai.onnx.preview.training": ["Gradient"],
}


def test_every_operator_of_onnx_is_there_or_known_to_be_missing():
    assert MISSING <= {(domain, name) for domain, names in NOT_YET.items() for name in names}


# Where onnx's own inference fails or is wrong, with what it says.
ONNX_FAILS = {"test_mvn": "its function body does not pass strict inference"}


def test_inference_knows_what_onnx_knows():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cases = collect_testcases(None)
    found, checked = [], 0
    for case in cases:
        if missing_operator(case.model) or case.name in ONNX_FAILS or case.name in EXCLUDED:
            continue
        checked += 1
        found += [f"{case.name}: {text}" for text in differences(case.model)]
    assert not found, "\n".join(found)
    assert checked > 1500


def test_the_case_that_the_suite_cannot_compare():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        (case,) = [case for case in collect_testcases(None) if case.name == "test_loop16_seq_none"]
    session = opgraft.InferenceSession(case.model.SerializeToString())
    for inputs, outputs in case.data_sets:
        feeds = {info.name: plain(value) for info, value in zip(case.model.graph.input, inputs)}
        (got,) = session.run(None, feeds)
        want = plain(outputs[0])
        assert len(got) == len(want)
        for mine, theirs in zip(got, want):
            np.testing.assert_array_equal(mine, theirs)


def plain(value):
    """Arrays and lists of a case, whose values may be protocol buffers."""
    if isinstance(value, onnx.OptionalProto):
        return onnx.numpy_helper.to_optional(value)
    if isinstance(value, onnx.SequenceProto):
        return onnx.numpy_helper.to_list(value)
    return value
