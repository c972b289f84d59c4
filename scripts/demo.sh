#!/usr/bin/env bash
# Installs and builds opgraft, then tells the types of real files: the model magika, with an operator grafted onto its front at
# run time, once from a C++ file and once from a Python file. Usage: scripts/demo.sh [FILE ...]
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
files=()
for file in "$@"; do files+=("$(realpath "$file")"); done
cd "$here"
scripts/setup.sh
.venv/bin/python -m pip install -q --disable-pip-version-check onnxruntime==1.32.0
.venv/bin/python scripts/fetch_models.py --only magika
models=${OPGRAFT_MODELS:-.cache/models}
.venv/bin/python examples/file_type/demo.py "$models/magika.onnx" "$models/magika_config.json" "${files[@]}"
