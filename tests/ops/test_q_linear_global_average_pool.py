"""Operator QLinearGlobalAveragePool of com.microsoft, against onnxruntime."""

import numpy as np
from quantised_cases import check, output, quantised


def test_both_layouts():
    for channels_last in (0, 1):
        for shape in ((2, 3, 5, 7), (1, 8, 6, 9)):
            check(
                "QLinearGlobalAveragePool",
                lambda rng, dtype, shape=shape: [*quantised(rng, shape, dtype), *output(rng, dtype)],
                {"channels_last": channels_last},
                dtypes=(np.uint8,),
            )
