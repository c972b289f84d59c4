"""opgraft: an inference engine onto which operators are grafted at run time.

    import opgraft
    session = opgraft.InferenceSession("model.onnx")
    outputs = session.run(None, {"x": array})

`opgraft.load_plugin(path)` adds operators from a shared library or a Python file; `opgraft.op` defines one in Python.
"""

from ._core import Error
from ._op import (
    Optional,
    any_type,
    bf16,
    bool_,
    f16,
    f32,
    f64,
    i8,
    i16,
    i32,
    i64,
    node,
    op,
    string,
    u8,
    u16,
    u32,
    u64,
)
from ._plugins import cmake_dir, get_include, imports, load_plugin, operators, plugins
from ._session import (
    GraphOptimizationLevel,
    InferenceSession,
    NodeArg,
    RunOptions,
    SessionOptions,
    get_available_providers,
    get_device,
    infer_shapes,
)
from ._trace import *  # noqa: F403  (sigmoid, exp, ... for traced bodies)
from ._trace import __all__ as _trace_names

__version__ = "0.1.0"

__all__ = [
    "Error",
    "GraphOptimizationLevel",
    "InferenceSession",
    "NodeArg",
    "Optional",
    "RunOptions",
    "SessionOptions",
    "any_type",
    "bf16",
    "bool_",
    "cmake_dir",
    "f16",
    "f32",
    "f64",
    "get_available_providers",
    "get_device",
    "get_include",
    "i8",
    "i16",
    "i32",
    "i64",
    "imports",
    "infer_shapes",
    "load_plugin",
    "node",
    "op",
    "operators",
    "plugins",
    "string",
    "u8",
    "u16",
    "u32",
    "u64",
    *_trace_names,
]
