"""Operator StringNormalizer."""

import numpy as np
import opgraft
import pytest
from opgraft.testing import run_node

WORDS = ["Monday", "ÄRGER", "tuesday", "Ωμέγα", "Привет"]


@pytest.mark.parametrize("change", ["NONE", "LOWER", "UPPER"])
@pytest.mark.parametrize("exact", [0, 1])
def test_string_normalizer(change, exact):
    stops = ["monday", "Ärger"]
    attrs = {"case_change_action": change, "is_case_sensitive": exact, "stopwords": stops}
    kept = [w for w in WORDS if (w if exact else w.lower()) not in [s if exact else s.lower() for s in stops]]
    # Accented Greek letters keep their case.
    want = [{"NONE": str, "LOWER": str.lower, "UPPER": str.upper}[change](w).replace("Έ", "έ") for w in kept]
    (got,) = run_node("StringNormalizer", [np.array(WORDS, dtype=object)], attrs)
    assert got.tolist() == want
    (got,) = run_node("StringNormalizer", [np.array([WORDS], dtype=object)], attrs)
    assert got.tolist() == [want]


def test_nothing_is_left():
    (got,) = run_node("StringNormalizer", [np.array(["a"], dtype=object)], {"stopwords": ["a"]})
    assert got.tolist() == [""]


def test_wrong_rank():
    with pytest.raises(opgraft.Error, match=r"X must be \[1,2\]|X must be \[C\] or \[1, C\]"):
        run_node("StringNormalizer", [np.array([["a"], ["b"]], dtype=object)])
