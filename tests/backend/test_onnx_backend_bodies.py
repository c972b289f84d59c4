"""onnx.backend.test with bodies instead of kernels, where there are some."""

from cases import make_tests

globals().update(make_tests(__name__, prefer_bodies=True))
