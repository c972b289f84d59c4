"""Operator StringNormalizer."""

import numpy as np
import opgraft
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opgraft.testing import run_node
from random_more import check_moved

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


@given(st.data())
def test_random(data):
    word = st.text(st.characters(codec="utf-8", max_codepoint=0x17E, categories=["Ll", "Lu"], exclude_characters="ßŉİıµªº"), max_size=3)
    words, stops = data.draw(st.lists(word, min_size=1, max_size=9)), data.draw(st.lists(word, max_size=3))
    change, sensitive = data.draw(st.sampled_from(["NONE", "LOWER", "UPPER"])), data.draw(st.integers(0, 1))
    x = np.array(words, object).reshape(data.draw(st.sampled_from([(-1,), (1, -1)])))
    attrs = {"case_change_action": change, "is_case_sensitive": sensitive} | ({"stopwords": stops} if stops else {})
    kept = [w for w in words if (w if sensitive else w.lower()) not in [s if sensitive else s.lower() for s in stops]] or [""]
    want = np.array([{"NONE": str, "LOWER": str.lower, "UPPER": str.upper}[change](w) for w in kept], object)
    check_moved(data, "StringNormalizer", [x], attrs, lambda x, **_: want if x.ndim == 1 else want[None])
