"""onnx.backend.test with passes off."""

from cases import make_tests

globals().update(make_tests(__name__, graph_optimization_level=0))
