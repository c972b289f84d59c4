"""Operator OptionalHasElement on plain values and omitted inputs."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from onnx import helper
from random_cases import draw_shape
from random_more import draw_any, exact, types_of
from sequence_models import floats, run_graph


def test_plain_values_and_omitted_inputs():
    (has,) = run_graph([helper.make_node("OptionalHasElement", ["x"], ["has"])], {"x": floats(1)}, ["has"], opset=28)
    assert has.dtype == np.bool_ and has.shape == () and has
    (has,) = run_graph([helper.make_node("OptionalHasElement", [""], ["has"])], {}, ["has"], opset=28)
    assert not has


@given(st.data())
def test_random(data):
    x = draw_any(data, draw_shape(data), data.draw(st.sampled_from(types_of("Pad", 13, every=True))))
    exact(run_graph([helper.make_node("OptionalHasElement", ["x"], ["has"])], {"x": x}, ["has"], opset=data.draw(st.sampled_from([18, 28]))), [np.array(True)])
