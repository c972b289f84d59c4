"""Fixtures shared by all Python tests: models made on the spot, and plug-ins compiled from text.

The environment variable OPGRAFT_EXAMPLES sets how many random cases each test of that kind draws (default 20)."""

import os
import pathlib
import shutil
import subprocess
import sys

import hypothesis
import opgraft
import pytest

hypothesis.settings.register_profile(
    "opgraft",
    max_examples=int(os.environ.get("OPGRAFT_EXAMPLES", "20")),
    deadline=None,  # machines differ
    derandomize="OPGRAFT_EXAMPLES" not in os.environ,  # a test run is the same every time, a soak never
    database=None,
    suppress_health_check=list(hypothesis.HealthCheck),
)
hypothesis.settings.load_profile("opgraft")
random_cases = 0  # of all processes


def pytest_sessionfinish(session):
    global random_cases
    checked = getattr(sys.modules.get("random_cases"), "cases", 0)
    random_cases += checked
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["random_cases"] = checked


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    global random_cases
    random_cases += getattr(node, "workeroutput", {}).get("random_cases", 0)


def pytest_terminal_summary(terminalreporter):
    if random_cases:
        terminalreporter.write_line(f"{random_cases} random cases of operators")


@pytest.fixture(scope="session")
def compile_plugin(tmp_path_factory):
    """compile_plugin(name, source) -> path of a shared library built with the installed headers alone."""
    folder = tmp_path_factory.mktemp("plugins")
    compiler = shutil.which("g++") or shutil.which("clang++")
    assert compiler, "a C++ compiler is needed: apt-get install g++"

    def build(name, source, flags=()):
        file = folder / f"{name}.cc"
        file.write_text(source)
        library = folder / f"{name}.so"
        command = [compiler, "-std=c++17", "-O1", "-shared", "-fPIC", f"-I{opgraft.get_include()}", *flags]
        subprocess.run([*command, str(file), "-o", str(library)], check=True)
        return str(library)

    return build


@pytest.fixture
def write(tmp_path):
    """write(name, text or bytes) -> path of a new file."""

    def make(name, contents):
        path = pathlib.Path(tmp_path) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(contents, bytes):
            path.write_bytes(contents)
        else:
            path.write_text(contents)
        return str(path)

    return make
