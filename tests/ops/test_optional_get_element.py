"""Operator OptionalGetElement on plain values and empty optionals."""

import numpy as np
import opgraft
import pytest
from onnx import helper
from sequence_models import floats, run_graph


def test_plain_value():
    (y,) = run_graph([helper.make_node("OptionalGetElement", ["x"], ["y"])], {"x": floats(1, 2)}, ["y"], opset=28)
    np.testing.assert_array_equal(y, [1, 2])


def test_empty_optional():
    kind = helper.make_optional_type_proto(helper.make_tensor_type_proto(1, None))
    with pytest.raises(opgraft.Error, match="the optional is empty"):
        run_graph([helper.make_node("OptionalGetElement", ["o"], ["y"])], {"o": None}, ["y"], {"o": kind}, opset=28)
