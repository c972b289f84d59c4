#!/usr/bin/env bash
# Builds the example packages against the installed wheel alone and runs their tests.
set -euo pipefail
cd "$(dirname "$0")/../.."
for package in foo_cpp foo_python foo_onnx swish_cpp; do
  rm -rf "build/examples/$package" && mkdir -p build/examples && cp -r "examples/$package" build/examples/
  .venv/bin/python -m pip install -q --disable-pip-version-check --no-build-isolation --no-deps "./build/examples/$package"
done
(cd build && ../.venv/bin/python -m pytest -q --rootdir=.. -c ../pyproject.toml -p no:cacheprovider ../examples/test_examples.py)
