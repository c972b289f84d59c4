"""Tracing of Python functions into graphs: symbolic values with operators, and functions named like ONNX operators.

Inside a function given to `opgraft.op`, arguments are `Traced` values. Arithmetic and comparisons become nodes; numbers
become constants of the other operand's element type. Everything else is reached by `opgraft.node("OpName", x, ...)`.
"""

import numpy as np

from ._arrays import numpy_dtype

__all__ = ["cast", "erf", "exp", "log", "matmul", "maximum", "minimum", "relu", "sigmoid", "softmax", "sqrt", "tanh", "where"]

_UNKNOWN = 0


class Trace:
    """The nodes and constants collected while a function runs."""

    def __init__(self):
        self.nodes = []
        self.constants = []
        self.count = 0

    def fresh(self):
        self.count += 1
        return f"t{self.count}"

    def constant(self, array):
        name = self.fresh()
        self.constants.append((name, np.asarray(array)))
        return Traced(self, name, None)

    def node(self, op_type, *inputs, domain="", outputs=1, **attributes):
        inputs = list(inputs)
        while inputs and inputs[-1] is None:
            inputs.pop()
        like = next((x for x in inputs if isinstance(x, Traced) and x.dtype), None)
        names = []
        for value in inputs:
            if value is None:
                names.append("")
            elif isinstance(value, Traced):
                names.append(value.name)
            else:
                dtype = numpy_dtype(like.dtype) if like is not None and np.ndim(value) == 0 else None
                names.append(self.constant(np.asarray(value, dtype=dtype)).name)
        made = [self.fresh() for _ in range(outputs)]
        self.nodes.append([domain, op_type, names, made, attributes])
        dtype = like.dtype if like is not None else _UNKNOWN
        values = [Traced(self, name, dtype) for name in made]
        return values[0] if outputs == 1 else tuple(values)


class Traced:
    """A value of the graph that is being traced: its element type is `dtype` (a number, 0 = unknown)."""

    def __init__(self, trace, name, dtype, shape=None):
        self.trace, self.name, self.dtype, self.shape = trace, name, dtype, shape

    def _binary(self, op_type, other, swap=False):
        return self.trace.node(op_type, *((other, self) if swap else (self, other)))

    def __add__(self, other):
        return self._binary("Add", other)

    def __radd__(self, other):
        return self._binary("Add", other, True)

    def __sub__(self, other):
        return self._binary("Sub", other)

    def __rsub__(self, other):
        return self._binary("Sub", other, True)

    def __mul__(self, other):
        return self._binary("Mul", other)

    def __rmul__(self, other):
        return self._binary("Mul", other, True)

    def __truediv__(self, other):
        return self._binary("Div", other)

    def __rtruediv__(self, other):
        return self._binary("Div", other, True)

    def __pow__(self, other):
        return self._binary("Pow", other)

    def __matmul__(self, other):
        return self._binary("MatMul", other)

    def __neg__(self):
        return self.trace.node("Neg", self)

    def __lt__(self, other):
        return self._binary("Less", other)

    def __le__(self, other):
        return self._binary("LessOrEqual", other)

    def __gt__(self, other):
        return self._binary("Greater", other)

    def __ge__(self, other):
        return self._binary("GreaterOrEqual", other)

    def __bool__(self):
        raise TypeError("a traced value has no contents yet: use opgraft.where instead of if")

    def __iter__(self):
        raise TypeError("a traced value cannot be iterated; use opgraft.node('Split', ...)")


def node(op_type, *inputs, domain="", outputs=1, **attributes):
    """Adds a node of any operator to the graph being traced; returns its output, or a tuple when outputs > 1.

    Inputs are traced values, arrays, numbers, or None for an omitted one. Call it inside a function given to `op`.
    """
    for value in inputs:
        if isinstance(value, Traced):
            return value.trace.node(op_type, *inputs, domain=domain, outputs=outputs, **attributes)
    raise TypeError(f"node({op_type!r}) needs at least one traced input; it works inside a function given to opgraft.op")


def _unary(op_type):
    def function(x):
        return node(op_type, x)

    function.__name__ = op_type.lower()
    function.__doc__ = f"The operator {op_type} of a traced value."
    return function


exp = _unary("Exp")
log = _unary("Log")
tanh = _unary("Tanh")
sigmoid = _unary("Sigmoid")
erf = _unary("Erf")
sqrt = _unary("Sqrt")
relu = _unary("Relu")


def softmax(x, axis=-1):
    """The operator Softmax of a traced value."""
    return node("Softmax", x, axis=axis)


def maximum(a, b):
    """The operator Max of two values."""
    return node("Max", a, b)


def minimum(a, b):
    """The operator Min of two values."""
    return node("Min", a, b)


def matmul(a, b):
    """The operator MatMul of two values."""
    return node("MatMul", a, b)


def where(condition, a, b):
    """The operator Where: a where the condition holds, else b."""
    return node("Where", condition, a, b)


def cast(x, dtype):
    """The operator Cast; dtype is one of opgraft.f32, ..."""
    return node("Cast", x, to=int(dtype))


def run_trace(function, input_types, attributes, output_names):
    """Traces `function`; returns (constants, nodes) with its results under output_names, or None when it returns None."""
    trace = Trace()
    arguments = [
        None if entry is None else Traced(trace, str(i), entry[0], entry[1]) for i, entry in enumerate(input_types)
    ]
    result = function(*arguments, **attributes)
    if result is None:
        return None
    results = result if isinstance(result, tuple) else (result,)
    if len(results) != len(output_names):
        raise TypeError(f"{function.__name__} returned {len(results)} values, its annotation says {len(output_names)}")
    for value, name in zip(results, output_names, strict=True):
        if value is None:
            continue
        if not isinstance(value, Traced):
            value = trace.constant(value)
        trace.nodes.append(["", "Identity", [value.name], [name], {}])
    return (trace.constants, [tuple(item) for item in trace.nodes])
