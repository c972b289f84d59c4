"""Fixtures shared by all Python tests: models made on the spot, and plug-ins compiled from text."""

import pathlib
import shutil
import subprocess

import opgraft
import pytest


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
