"""Operator QLinearConcat of com.microsoft, against onnxruntime."""

from quantised_cases import check, output, quantised


def test_parts_of_different_scales():
    for axis in (1, -1, 0):

        def make(rng, dtype):
            return [*output(rng, dtype), *quantised(rng, (2, 3, 4), dtype), *quantised(rng, (2, 3, 4), dtype), *quantised(rng, (2, 3, 4), dtype)]

        check("QLinearConcat", make, {"axis": axis})
