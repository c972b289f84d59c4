"""Operator QGemm of com.microsoft, against onnxruntime."""

import numpy as np
from quantised_cases import check, output, quantised


def test_quantised_and_real_results():
    for turn_a, turn_b in ((0, 0), (1, 0), (0, 1), (1, 1)):
        for form in ("quantised", "real", "no bias"):

            def make(rng, dtype, turn_a=turn_a, turn_b=turn_b, form=form):
                a = quantised(rng, (9, 5) if turn_a else (5, 9), dtype)
                b = quantised(rng, (7, 9) if turn_b else (9, 7), dtype)
                bias = rng.integers(-500, 500, 7).astype(np.int32)
                return [*a, *b, None if form == "no bias" else bias, *([] if form == "real" else output(rng, dtype, 0.5))]

            check("QGemm", make, {"transA": turn_a, "transB": turn_b, "alpha": 0.5})
