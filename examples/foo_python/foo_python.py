"""com.examples.python::Foo: returns a copy of its input."""

import opgraft as og


@og.op("com.examples.python::Foo", since=1, T=[og.f32, og.i32, og.f16])
def foo(x: "T") -> "T":
    """Returns a copy of its input."""
    return og.node("Identity", x)
