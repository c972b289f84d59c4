"""Operator HannWindow."""

import numpy as np
import opgraft
import pytest
from opgraft.testing import compare, run_node


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
