"""Operators in Python: the decorator `op`, with traced bodies, NumPy kernels, shape rules and import rules."""

import enum
import inspect
import os

import numpy as np

from . import _core
from ._trace import node, run_trace  # noqa: F401  (node is public)


class Dtype(enum.IntEnum):
    """Element types; the numbers of ONNX's TensorProto.DataType."""

    any_type = 0
    f32 = 1
    u8 = 2
    i8 = 3
    u16 = 4
    i16 = 5
    i32 = 6
    i64 = 7
    string = 8
    bool_ = 9
    f16 = 10
    f64 = 11
    u32 = 12
    u64 = 13
    bf16 = 16


any_type, f32, u8, i8, u16, i16 = Dtype.any_type, Dtype.f32, Dtype.u8, Dtype.i8, Dtype.u16, Dtype.i16
i32, i64, string, bool_, f16, f64 = Dtype.i32, Dtype.i64, Dtype.string, Dtype.bool_, Dtype.f16, Dtype.f64
u32, u64, bf16 = Dtype.u32, Dtype.u64, Dtype.bf16

_ONNX_NAMES = {
    f32: "float",
    u8: "uint8",
    i8: "int8",
    u16: "uint16",
    i16: "int16",
    i32: "int32",
    i64: "int64",
    string: "string",
    bool_: "bool",
    f16: "float16",
    f64: "double",
    u32: "uint32",
    u64: "uint64",
    bf16: "bfloat16",
}

_KINDS = {int: 2, bool: 2, float: 1, str: 3, list[int]: 7, list[float]: 6, list[str]: 8, np.ndarray: 4}
_OPTIONAL, _VARIADIC, _HETEROGENEOUS = 1, 2, 4


class Optional:
    """Annotation of an input that may be omitted: `x: Optional("T")`; it is None then."""

    def __init__(self, type):
        self.type = type


def _type_text(annotation):
    """A type variable ("T"), a type string, or an element type."""
    if isinstance(annotation, Dtype):
        return f"tensor({_ONNX_NAMES[annotation]})"
    return annotation


class Operator:
    """An operator defined in Python; what `op` returns. Calling it inside another traced function adds a node."""

    def __init__(self, function, name, since, types, pure, file):
        self.function, self.since, self.types, self.pure, self.file = function, since, types, pure, file
        self.domain, _, self.name = name.rpartition("::")
        if not self.domain or not self.name:
            raise ValueError(f'{name!r} must be "domain::Name", for example "com.examples::Swish"')
        self.inputs, self.attributes = [], []
        signature = inspect.signature(function)
        for parameter in signature.parameters.values():
            if parameter.kind == parameter.KEYWORD_ONLY:
                self.attributes.append(self._attribute(parameter))
            elif parameter.kind == parameter.VAR_POSITIONAL:
                self.inputs.append((parameter.name, self._input_type(parameter), _VARIADIC, 1))
            elif parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
                optional = isinstance(parameter.annotation, Optional) or parameter.default is None
                self.inputs.append((parameter.name, self._input_type(parameter), _OPTIONAL if optional else 0, 1))
            else:
                raise TypeError(f"{self.name}: **{parameter.name} is not possible; name every attribute")
        returns = signature.return_annotation
        if returns is signature.empty:
            raise TypeError(f'{self.name}: annotate the result, for example -> "T"')
        returns = returns if isinstance(returns, tuple) else (returns,)
        self.outputs = [(f"output{i}" if i else "output", _type_text(kind), 0, 1) for i, kind in enumerate(returns)]
        self.infer_function = None
        self.kernels, self.imports = [], []
        self._register()

    def _input_type(self, parameter):
        annotation = parameter.annotation
        if annotation is parameter.empty:
            raise TypeError(f'{self.name}: annotate the input {parameter.name!r}, for example {parameter.name}: "T"')
        return _type_text(annotation.type if isinstance(annotation, Optional) else annotation)

    def _attribute(self, parameter):
        kind = _KINDS.get(parameter.annotation)
        if kind is None:
            raise TypeError(
                f"{self.name}: annotate the attribute {parameter.name!r} with int, float, str, list[int], list[float], "
                "list[str] or numpy.ndarray"
            )
        return (parameter.name, kind, None if parameter.default is parameter.empty else parameter.default)

    def _has_body(self):
        code = inspect.getsource(self.function) if self._source_available() else ""
        return not code.rstrip().endswith("...")

    def _source_available(self):
        try:
            inspect.getsource(self.function)
            return True
        except (OSError, TypeError):
            return False

    def _padded(self, inputs):
        """Inputs that were left out at the end are None as well."""
        if any(flags & _VARIADIC for _, _, flags, _ in self.inputs):
            return list(inputs)
        return [*inputs, *[None] * (len(self.inputs) - len(inputs))]

    def _body(self, input_types, attributes):
        return run_trace(self.function, self._padded(input_types), attributes, [name for name, *_ in self.outputs])

    def _spec(self):
        return {
            "domain": self.domain,
            "name": self.name,
            "since": self.since,
            "doc": inspect.getdoc(self.function) or "",
            "inputs": self.inputs,
            "outputs": self.outputs,
            "attributes": self.attributes,
            "types": [(name, [f"tensor({_ONNX_NAMES[Dtype(t)]})" for t in kinds]) for name, kinds in self.types.items()],
            "infer": self.infer_function,
            "body": self._body if self._has_body() else None,
            "kernels": self.kernels,
            "imports": self.imports,
            "pure": self.pure,
        }

    def _register(self):
        _core.register_operators(f"python:{self.domain}::{self.name}", "1.0", self.file, [self._spec()])

    def kernel(self, backend="cpu", *dtypes):
        """Decorator: a kernel that gets NumPy views `(inputs..., outputs..., *, attributes)` and fills the outputs.

        Arrays are views for the length of the call; copy what you keep (a kept one stays readable, but its contents may
        change). Outputs whose dims inference does not know are None: then the kernel
        returns an array (or a list of arrays, None for those already filled). `dtypes` limits the first input's element
        type; none = every type of the definition.
        """

        def decorate(function):
            def call(inputs, outputs, attributes):
                result = function(*self._padded(inputs), *outputs, **attributes)
                if result is None:
                    return None
                results = result if isinstance(result, (list, tuple)) else [result]
                return [value if target is None or value is not target else None for value, target in zip(results, outputs, strict=False)]

            binds = [[("", int(dtype))] for dtype in dtypes] or [[]]
            for bind in binds:
                self.kernels.append((backend, bind, call))
            self._register()
            return function

        return decorate

    def infer(self, function):
        """Decorator: the type and shape rule, `rule(inputs..., *, attributes) -> outputs`.

        An input is a `ShapedType` (dtype, shape; shape None = unknown rank, entries may be None), or None when omitted;
        an output is a (dtype, shape) pair. Without a rule types and shapes come from the body, or, without a body, the
        output is like the first input.
        """

        def call(inputs, attributes):
            wrapped = [None if entry is None else ShapedType(entry[0][0], entry[0][1], entry[1]) for entry in self._padded(inputs)]
            result = function(*wrapped, **attributes)
            results = result if isinstance(result, list) else [result]
            return [None if r is None else (int(r[0]), r[1]) for r in (tuple(r) if r is not None else None for r in results)]

        self.infer_function = call
        self._register()
        return function

    def importer(self, format, foreign_name, versions="*"):
        """Decorator: how an operator of another format becomes this one: `rule(inputs..., *, attributes)`, traced."""

        def decorate(function):
            def call(input_types, attributes):
                names = [str(i) for i in range(len(self.outputs))]
                return run_trace(function, input_types, attributes, names)

            self.imports.append((format, foreign_name, versions, call))
            self._register()
            return function

        return decorate

    def __call__(self, *inputs, **attributes):
        return node(self.name, *inputs, domain=self.domain, outputs=len(self.outputs), **attributes)


class ShapedType:
    """What inference knows of an input: dtype, shape (None = unknown rank), value (an array, or None)."""

    def __init__(self, dtype, shape, value):
        self.dtype = Dtype(dtype) if dtype in Dtype._value2member_map_ else dtype
        self.shape, self.value = shape, value

    def __iter__(self):
        return iter((self.dtype, self.shape))


def op(name, since=1, pure=True, **types):
    """Defines an operator from a function's signature.

        @opgraft.op("com.examples::Swish", since=1, T=[opgraft.f32, opgraft.f16])
        def swish(x: "T", *, alpha: float = 1.0) -> "T":
            "x * sigmoid(alpha * x)"
            return x * opgraft.sigmoid(alpha * x)

    name: "domain::Name". since: version of the domain from which this definition holds. pure: False for operators with
    state or randomness (they are never folded). Keyword arguments are type variables with their element types.
    Positional parameters are inputs (annotation: type variable, type string, or element type; default None or
    `Optional(...)` = may be omitted; *args = variadic), keyword-only parameters are attributes. The function is traced
    once per node: its graph is the operator's body. A function whose last line is `...` has no body and needs a kernel.
    The same registry, errors and tester as for C++ operators.
    """

    def decorate(function):
        file = os.path.realpath(inspect.getsourcefile(function) or "<python>") if function.__code__ else "<python>"
        return Operator(function, name, since, types, pure, file)

    return decorate
