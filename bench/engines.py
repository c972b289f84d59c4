"""The engines that can be compared: one small adapter each, and a table of them by name."""

import importlib
import importlib.util
import pathlib

import numpy as np

Feeds = dict[str, np.ndarray]


class Engine:
    """Adapter of an engine: `load` returns a function from feeds to outputs by name."""

    module = ""

    def __init__(self):
        self.engine = importlib.import_module(self.module)

    @classmethod
    def installed(cls) -> bool:
        return importlib.util.find_spec(cls.module) is not None

    def version(self) -> str:
        return str(getattr(self.engine, "__version__", "unknown"))

    def load(self, path: pathlib.Path, threads: int):
        raise NotImplementedError


class Opgraft(Engine):
    module = "opgraft"

    def options(self, threads: int):
        options = self.engine.SessionOptions()
        options.intra_op_num_threads = threads
        return options

    def load(self, path: pathlib.Path, threads: int):
        session = self.engine.InferenceSession(
            str(path), sess_options=self.options(threads), providers=["CPUExecutionProvider"]
        )
        names = [output.name for output in session.get_outputs()]
        return lambda feeds: dict(zip(names, session.run(names, feeds), strict=True))


class Onnxruntime(Opgraft):
    module = "onnxruntime"

    def options(self, threads: int):
        options = super().options(threads)
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        return options


class Openvino(Engine):
    module = "openvino"

    def load(self, path: pathlib.Path, threads: int):
        settings = {"INFERENCE_NUM_THREADS": threads, "INFERENCE_PRECISION_HINT": "f32", "NUM_STREAMS": 1}
        model = self.engine.Core().compile_model(str(path), "CPU", settings)
        request = model.create_infer_request()
        names = [output.any_name for output in model.outputs]

        def run(feeds: Feeds) -> Feeds:
            results = request.infer(feeds)
            return {name: results[output] for name, output in zip(names, model.outputs, strict=True)}

        return run


ENGINES: dict[str, type[Engine]] = {"opgraft": Opgraft, "onnxruntime": Onnxruntime, "openvino": Openvino}
BASELINE = "onnxruntime"
