"""Loading plug-ins and asking what is registered."""

import importlib.metadata
import importlib.util
import os
import pathlib
import sys

from . import _core


def get_include():
    """The folder to give to the compiler with -I: it holds opgraft/op.h and the other public headers."""
    folder = pathlib.Path(__file__).parent / "include"
    return str(folder)


def cmake_dir():
    """The folder of opgraft's CMake package, for -Dopgraft_DIR=... or CMAKE_PREFIX_PATH."""
    return str(pathlib.Path(__file__).parent / "cmake")


def load_plugin(path):
    """Loads a plug-in: a shared library, or a Python file (".py") whose operators are defined with `opgraft.op`.

    The same file twice is a no-op. Raises opgraft.Error with the reason when the file does not exist, is no plug-in,
    needs a newer ABI level, or defines an operator that another plug-in defines differently; then nothing of it stays.
    Thread-safe. The library is never unloaded.
    """
    _core.load_plugin(os.fspath(path))


def plugins(installed=False):
    """A list of dictionaries: name, version, file, abi_level, operators (a count).

    `installed=True` loads the plug-ins of OPGRAFT_PLUGINS and of installed packages (entry points "opgraft.plugins")
    first.
    """
    if installed:
        _core.load_installed()
    else:
        _core.collect_loaded()
    return _core.plugins()


def operators(domain=None, name=None):
    """What is registered: a list of dictionaries (name, domain, since_version, doc, inputs, outputs, attributes, types,
    kernels, has_body, plugin, ...), sorted; `domain` and `name` select."""
    _core.collect_loaded()
    return [
        op
        for op in _core.operators()
        if (domain is None or op["domain"] == domain) and (name is None or op["name"] == name)
    ]


def imports():
    """Import rules: a list of dictionaries (format, name, first_version, last_version, operator, plugin)."""
    return _core.imports()


def _load_script(path):
    """Runs a Python plug-in file once; its decorators register operators under the file's path."""
    file = os.path.realpath(path)
    module_name = "opgraft_plugin_" + "".join(c if c.isalnum() else "_" for c in file)
    if module_name in sys.modules:
        return
    spec = importlib.util.spec_from_file_location(module_name, file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[module_name]
        raise


def _find_installed():
    """Imports every installed plug-in package; returns a line for error messages."""
    found, failed = [], []
    for entry in importlib.metadata.entry_points(group="opgraft.plugins"):
        try:
            target = entry.load()
            if callable(target):
                target = target()
            if isinstance(target, (str, os.PathLike)):
                load_plugin(target)
            found.append(entry.name)
        except Exception as error:  # one broken package must not hide the others
            failed.append(f"{entry.name} ({type(error).__name__}: {error})")
    text = "installed plug-ins loaded: " + (", ".join(found) or "none")
    return text + ("; failed: " + ", ".join(failed) if failed else "")


_core.set_finders(_find_installed, _load_script)
