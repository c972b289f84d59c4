"""Operator HannWindow."""

import numpy as np
import opgraft
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opgraft import _arrays
from opgraft.testing import compare, run_node
from random_cases import ALL_FLOATS, check_case, draw_attrs


def test_hann_window():
    for size in (0, 1, 2, 7, 64):
        for periodic in (0, 1):
            for code, dtype in ((1, np.float32), (11, np.float64), (10, np.float16)):
                (got,) = run_node("HannWindow", [np.array(size)], {"periodic": periodic, "output_datatype": code})
                phase = 2 * np.pi * np.arange(size) / max(size if periodic else size - 1, 1)
                want = np.ones(1) if size == 1 else 0.5 - 0.5 * np.cos(phase)
                compare(got, want.astype(dtype))


def test_size_must_not_be_negative():
    with pytest.raises(opgraft.Error, match="-1"):
        run_node("HannWindow", [np.array(-1)])


@given(st.data())
def test_random(data):
    dtype = data.draw(st.sampled_from(ALL_FLOATS))

    def reference(size, periodic=1, **_):
        phase = 2 * np.pi * np.arange(size) / max(size if periodic else size - 1, 1)
        return (np.ones(1) if size == 1 else 0.5 - 0.5 * np.cos(phase)).astype(dtype)

    size = np.array(data.draw(st.integers(0, 2000)), data.draw(st.sampled_from([np.int32, np.int64])))
    attrs = {"output_datatype": _arrays.dtype_code(np.dtype(dtype))} | draw_attrs(data, periodic=[0, 1])
    check_case(data, "HannWindow", [size], attrs, reference)
