"""Operator OptionalHasElement on plain values and omitted inputs."""

import numpy as np
from onnx import helper
from sequence_models import floats, run_graph


def test_plain_values_and_omitted_inputs():
    (has,) = run_graph([helper.make_node("OptionalHasElement", ["x"], ["has"])], {"x": floats(1)}, ["has"], opset=28)
    assert has.dtype == np.bool_ and has.shape == () and has
    (has,) = run_graph([helper.make_node("OptionalHasElement", [""], ["has"])], {}, ["has"], opset=28)
    assert not has
