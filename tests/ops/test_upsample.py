"""Upsample of opsets 7 and 9."""

import numpy as np
import pytest
from oracles import check_against_onnxruntime


@pytest.mark.parametrize("mode", ["nearest", "linear"])
@pytest.mark.parametrize("scales", [[1.0, 1.0, 2.0, 3.0], [1.0, 1.0, 1.5, 1.0]])
def test_values(mode, scales):
    x = np.random.default_rng(0).normal(size=(1, 2, 5, 6)).astype(np.float32)
    check_against_onnxruntime("Upsample", [x], {"mode": mode, "scales": scales}, opset=7)
    for constants in ((1,), ()):
        check_against_onnxruntime("Upsample", [x, np.array(scales, np.float32)], {"mode": mode}, constants, opset=9)
