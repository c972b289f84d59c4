"""Sessions with onnxruntime's names, so that changing the import runs existing code."""

import json
import os
from collections.abc import Mapping

from . import _core


class GraphOptimizationLevel:
    """onnxruntime's levels; opgraft fuses at every level but ORT_DISABLE_ALL."""

    ORT_DISABLE_ALL = 0
    ORT_ENABLE_BASIC = 1
    ORT_ENABLE_EXTENDED = 2
    ORT_ENABLE_ALL = 99


class SessionOptions:
    """Options of a session. An attribute that does not exist here is an error that names it.

    intra_op_num_threads: threads of one run, the caller included; 0 (default) = all processors of this process.
    graph_optimization_level: a GraphOptimizationLevel; default ORT_ENABLE_ALL.
    enable_profiling: record every node; `InferenceSession.end_profiling` writes a Chrome trace. Default False.
    profile_file_prefix: start of the trace's file name. Default "opgraft_profile".
    allowed_operators: None (default) or a set of "domain::name" (standard operators: "::Add"); a model with another
        operator, in subgraphs and functions too, is refused.
    prefer_bodies: run function bodies where an operator has one, instead of kernels. Default False.
    limits: None or a dictionary of upper bounds: "planned_bytes" (default the machine's memory) of one run's planned
        buffers and of every output whose size only data decides; "converted_bytes" (default 2 GiB) of weights that are
        converted while reading.
    """

    _FIELDS = {
        "intra_op_num_threads": 0,
        "inter_op_num_threads": 0,
        "graph_optimization_level": GraphOptimizationLevel.ORT_ENABLE_ALL,
        "enable_profiling": False,
        "profile_file_prefix": "opgraft_profile",
        "log_severity_level": 2,
        "allowed_operators": None,
        "prefer_bodies": False,
        "limits": None,
    }

    def __init__(self):
        for name, value in self._FIELDS.items():
            object.__setattr__(self, name, value)

    def __setattr__(self, name, value):
        if name not in self._FIELDS:
            raise AttributeError(f"SessionOptions has no option {name!r}; options are {', '.join(self._FIELDS)}")
        object.__setattr__(self, name, value)

    def register_custom_ops_library(self, path):
        """Loads an opgraft plug-in (see opgraft.load_plugin)."""
        _core.load_plugin(os.fspath(path))

    def _native(self):
        options = {
            "threads": int(self.intra_op_num_threads),
            "optimize": int(self.graph_optimization_level) > 0,
            "prefer_bodies": bool(self.prefer_bodies),
            "profile": bool(self.enable_profiling),
        }
        if self.allowed_operators is not None:
            options["allowed_operators"] = list(self.allowed_operators)
        for name, value in (self.limits or {}).items():
            options["limit_" + name] = int(value)
        return options


class RunOptions:
    """Options of one run; none has an effect yet besides being accepted."""

    def __init__(self):
        self.log_severity_level = 2
        self.logid = ""


class NodeArg:
    """Name, type ("tensor(float)") and shape of an input or output.

    In `shape` a number is a fixed size, a string a named symbol, None an unnamed one; the shape is [] when the rank is
    not known or the value is no tensor; `ranked` tells these from a scalar.
    """

    def __init__(self, info):
        self.name = info["name"]
        self.ranked = info["shape"] is not None
        self.type = info["type"]
        self.shape = info["shape"] if info["shape"] is not None else []
        self._text = info["text"]

    def __repr__(self):
        return f"NodeArg(name={self.name!r}, type={self.type!r}, shape={self.shape!r})"


class ModelMetadata:
    """What the model says of itself."""

    def __init__(self, fields):
        self.__dict__.update(fields)


def get_available_providers():
    """Names of the back ends that can be asked for."""
    return ["CPUExecutionProvider"]


def get_device():
    """The default device."""
    return "CPU"


def _source(path_or_bytes):
    """A path as str, or a bytes-like object; TypeError for anything else."""
    if isinstance(path_or_bytes, os.PathLike):
        return os.fspath(path_or_bytes)
    if not isinstance(path_or_bytes, str):
        try:
            memoryview(path_or_bytes)
        except TypeError:
            kind = type(path_or_bytes).__name__
            raise TypeError(f"path_or_bytes must be a path or the model's bytes, not {kind}") from None
    return path_or_bytes


def infer_shapes(path_or_bytes):
    """Types and shapes of all named values of a model, subgraphs included, as {name: NodeArg}, in the file's order.

    Symbols of the model's inputs are carried through arithmetic ("N*4+1"); contents of small integer tensors are
    followed. A value whose type is not known has the type "". Raises opgraft.Error as InferenceSession does.
    """
    return {info["name"]: NodeArg(info) for info in _core.infer_types(_source(path_or_bytes), {})}


class InferenceSession:
    """A loaded model, ready to run.

    path_or_bytes: a file's path, or the file's contents (bytes-like; kept alive, not copied).
    sess_options: SessionOptions or None.
    providers: list of names or (name, options) pairs; only "CPUExecutionProvider" exists now.

    Raises opgraft.Error for everything that is wrong with the model, in one message. `run` may be called from many
    threads at once; the interpreter lock is released while it computes.
    """

    def __init__(self, path_or_bytes, sess_options=None, providers=None, provider_options=None, **unknown):
        if unknown:
            raise TypeError(f"InferenceSession has no option {', '.join(unknown)}")
        for provider in providers or []:
            name = provider[0] if isinstance(provider, tuple) else provider
            if name not in get_available_providers():
                raise ValueError(f"provider {name!r} does not exist; available: {get_available_providers()}")
        self._options = sess_options or SessionOptions()
        if not isinstance(self._options, SessionOptions):
            raise TypeError(f"sess_options must be SessionOptions or None, not {type(sess_options).__name__}")
        source = _source(path_or_bytes)
        self._session = _core.Session(source, self._options._native())
        self._inputs = [NodeArg(info) for info in self._session.inputs()]
        self._outputs = [NodeArg(info) for info in self._session.outputs()]

    def get_inputs(self):
        """The inputs that must be fed."""
        return self._inputs

    def get_outputs(self):
        """The model's outputs, in order."""
        return self._outputs

    def get_overridable_initializers(self):
        """Initializers that may be fed as well."""
        return [NodeArg(info) for info in self._session.overridable_initializers()]

    def get_modelmeta(self):
        """Producer, version, domain, description and custom metadata of the model."""
        return ModelMetadata(self._session.metadata())

    def get_providers(self):
        """Back ends in use."""
        return ["CPUExecutionProvider"]

    def get_session_options(self):
        """The options given at construction."""
        return self._options

    def run(self, output_names, input_feed, run_options=None):
        """Runs the model once.

        output_names: list of names; None or an empty list for all outputs in order.
        input_feed: {name: array}; NumPy arrays (no copy when contiguous), anything with __dlpack__, lists, strings.
            None counts as not fed; for an input of optional type it is the empty optional.
        Returns a list of NumPy arrays that own their memory. Raises opgraft.Error naming every wrong feed, TypeError
        when an argument is of the wrong kind. An exception of a Python operator is the error's __cause__;
        KeyboardInterrupt and SystemExit pass through as they are.
        """
        if isinstance(output_names, (str, bytes)):
            raise TypeError(f"output_names must be a list of names or None, not {type(output_names).__name__}")
        names = [] if output_names is None else list(output_names)
        if not isinstance(input_feed, Mapping):
            raise TypeError(f"input_feed must be a dictionary {{name: array}}, not {type(input_feed).__name__}")
        for name in [*names, *input_feed]:
            if not isinstance(name, str):
                raise TypeError(f"names of inputs and outputs are str, not {type(name).__name__}: {name!r}")
        return self._session.run(names, dict(input_feed))

    def placement(self):
        """One line a node: which kernel of which plug-in runs it."""
        return self._session.placement()

    def graph_text(self):
        """The optimised graph as text."""
        return self._session.graph_text()

    def memory(self):
        """Bytes of packed weights and of arenas held."""
        return self._session.memory()

    def take_profile(self):
        """Events recorded since the last call, as dictionaries with times in nanoseconds; needs enable_profiling."""
        return self._session.take_profile()

    def end_profiling(self):
        """Writes a Chrome trace ("chrome://tracing", Perfetto) of the events so far; returns the file's name."""
        events = [
            {
                "name": event["node"] or event["op_type"],
                "cat": event["op_type"],
                "ph": "X",
                "pid": os.getpid(),
                "tid": 0,
                "ts": event["start_ns"] / 1000,
                "dur": event["duration_ns"] / 1000,
                "args": {"op_name": event["op_type"], "plugin": event["plugin"], "flops": event["flops"]},
            }
            for event in self.take_profile()
        ]
        name = f"{self._options.profile_file_prefix}_{os.getpid()}.json"
        with open(name, "w", encoding="utf-8") as file:
            json.dump(events, file)
        return name
