"""Operator QLinearWhere of com.microsoft, against onnxruntime."""

from quantised_cases import check, output, quantised


def test_choice():
    def make(rng, dtype):
        return [rng.random((3, 1, 5)) < 0.5, *quantised(rng, (3, 4, 5), dtype), *quantised(rng, (4, 1), dtype), *output(rng, dtype)]

    check("QLinearWhere", make)
