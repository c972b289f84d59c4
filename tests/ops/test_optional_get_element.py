"""Operator OptionalGetElement on plain values and empty optionals."""

import numpy as np
import opgraft
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import helper
from random_cases import draw_shape
from random_more import draw_any, exact, types_of
from sequence_models import floats, run_graph


def test_plain_value():
    (y,) = run_graph([helper.make_node("OptionalGetElement", ["x"], ["y"])], {"x": floats(1, 2)}, ["y"], opset=28)
    np.testing.assert_array_equal(y, [1, 2])


def test_empty_optional():
    kind = helper.make_optional_type_proto(helper.make_tensor_type_proto(1, None))
    with pytest.raises(opgraft.Error, match="the optional is empty"):
        run_graph([helper.make_node("OptionalGetElement", ["o"], ["y"])], {"o": None}, ["y"], {"o": kind}, opset=28)


@given(st.data())
def test_random(data):
    x = draw_any(data, draw_shape(data), data.draw(st.sampled_from(types_of("Pad", 13, every=True))))
    exact(run_graph([helper.make_node("OptionalGetElement", ["x"], ["y"])], {"x": x}, ["y"], opset=data.draw(st.sampled_from([18, 28]))), [x])
