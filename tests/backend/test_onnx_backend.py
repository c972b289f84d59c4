"""onnx.backend.test with all passes on."""

from cases import make_tests

globals().update(make_tests(__name__))
