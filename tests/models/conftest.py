"""Fixtures of the model tests: paths of models, sessions of both engines, and a table of errors at the end."""

import gc
import importlib
import os
import pathlib
import sys

import pytest

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(REPOSITORY / "bench"), str(REPOSITORY / "scripts")]

import agreement  # noqa: E402
import fetch_models  # noqa: E402

MEASURED = pytest.StashKey[list[tuple[str, str]]]()


def pytest_configure(config):
    config.stash[MEASURED] = []


def pytest_terminal_summary(terminalreporter, config):
    lines = config.stash.get(MEASURED, [])
    if lines:
        terminalreporter.section("largest error, as a fraction of the reference's range")
        for what, value in lines:
            terminalreporter.write_line(f"{what:<52} {value}")


@pytest.fixture
def record(request):
    """Notes a measured error for the table at the end of the run."""
    return lambda what, value: request.config.stash[MEASURED].append((what, value))


@pytest.fixture(scope="session")
def model_path():
    """Function from a model's name to its file, fetched if it is not there yet."""
    return fetch_models.ensure


def session_of(module_name: str, path: pathlib.Path, optimised: bool = True):
    module = importlib.import_module(module_name)
    options = module.SessionOptions()
    options.intra_op_num_threads = 2
    if module_name == "onnxruntime":
        options.log_severity_level = 3
        if not optimised:
            options.graph_optimization_level = module.GraphOptimizationLevel.ORT_DISABLE_ALL
    return module.InferenceSession(str(path), sess_options=options, providers=["CPUExecutionProvider"])


class Models:
    """One model in the engine under test (`ours`) and in onnxruntime."""

    def __init__(self, path: pathlib.Path):
        # OPGRAFT_TEST_ENGINE=onnxruntime checks this harness itself.
        self.ours = session_of(os.environ.get("OPGRAFT_TEST_ENGINE", "opgraft"), path)
        self.reference = session_of("onnxruntime", path)
        self.path, self.plain_reference = path, None
        self.names = [output.name for output in self.reference.get_outputs()]

    def run(self, session, feeds):
        return dict(zip(self.names, session.run(self.names, feeds), strict=True))

    def run_both(self, feeds):
        return self.run(self.ours, feeds), self.run(self.reference, feeds)

    def doubts(self, feeds, expected):
        """How far onnxruntime is from itself when it optimises nothing: its own rounding, by output."""
        self.plain_reference = self.plain_reference or session_of("onnxruntime", self.path, optimised=False)
        plain = self.run(self.plain_reference, feeds)
        return {name: agreement.difference(name, plain[name], expected[name]).fraction for name in self.names}


@pytest.fixture
def load_model():
    """Function that loads a file in both engines; all sessions are gone before the next test begins."""
    made = []

    def load(path):
        made.append(Models(path))
        return made[-1]

    yield load
    made.clear()
    gc.collect()
