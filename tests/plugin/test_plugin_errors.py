"""Plug-ins that are wrong are refused with a clear text, and nothing of them stays."""

import sys

import numpy as np
import opgraft
import pytest

sys.path.insert(0, str(__import__("pathlib").Path(__file__).parents[1]))
from models_by_hand import one_node  # noqa: E402

HEAD = "#include <opgraft/op.h>\nusing namespace opgraft;\n"
# An operator of domain com.%(name)s with the given lines in its definition.
TEMPLATE = (
    HEAD
    + """OG_OP(Foo, "com.%(name)s", 1) {
  op.input("X", "T").output("Y", "T").types("T", {f32});
  %(lines)s
}
OG_PLUGIN("com.%(name)s", "1.0")
"""
)


def load(compile_plugin, name, lines):
    opgraft.load_plugin(compile_plugin(name, TEMPLATE % {"name": name, "lines": lines}))


def session(name):
    return opgraft.InferenceSession(one_node("Foo", f"com.{name}"))


X = np.ones((2, 2), np.float32)


def test_a_newer_abi_level_is_refused(compile_plugin):
    path = compile_plugin(
        "future",
        '#include <opgraft/abi.h>\nextern "C" __attribute__((visibility("default"))) int32_t opgraft_plugin_v1('
        'const og_host* host, og_registrar* r) { return host->plugin(r, "future", "9", 99); }\n',
    )
    with pytest.raises(opgraft.Error) as caught:
        opgraft.load_plugin(path)
    assert "needs ABI level 99" in str(caught.value) and "offers level 1" in str(caught.value)


def test_a_library_that_is_no_plugin(compile_plugin, write):
    path = compile_plugin("plain", "int number() { return 1; }\n")
    with pytest.raises(opgraft.Error, match="does not export opgraft_plugin_v1"):
        opgraft.load_plugin(path)
    with pytest.raises(opgraft.Error, match="does not exist"):
        opgraft.load_plugin("/nowhere/plugin.so")
    with pytest.raises(opgraft.Error, match="not a shared library"):
        opgraft.load_plugin(write("text.so", "this is not a library, only some text of enough length\n"))
    with pytest.raises(opgraft.Error, match="folder"):
        opgraft.load_plugin("/tmp")


def test_throwing_in_the_definition_leaves_nothing(compile_plugin):
    with pytest.raises(opgraft.Error, match="boom in define"):
        load(compile_plugin, "define", 'throw std::runtime_error("boom in define");')
    assert not opgraft.operators("com.define")


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("inferring", 'op.infer([](Infer&) { throw std::runtime_error("boom inferring"); }).kernel(cpu, [](Run&) {});'),
        ("bodying", 'op.body([](Graph&) -> bool { throw std::runtime_error("boom bodying"); });'),
        (
            "packing",
            'struct K { void pack(Pack&) { throw std::runtime_error("boom packing"); } void run(Run&) const {} };'
            "op.kernel<K>(cpu);",
        ),
    ],
)
def test_throwing_at_load(compile_plugin, name, lines):
    load(compile_plugin, name, lines)
    with pytest.raises(opgraft.Error) as caught:
        session(name)
    assert f"boom {name}" in str(caught.value) and f'node "n" (com.{name}::Foo)' in str(caught.value)


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        (
            "preparing",
            'struct K { void prepare(Prepare&) const { throw std::runtime_error("boom preparing"); } void run(Run&) const {} };'
            "op.kernel<K>(cpu);",
        ),
        ("running", 'op.kernel(cpu, [](Run&) { throw std::runtime_error("boom running"); });'),
        ("odd", "op.kernel(cpu, [](Run&) { throw 7; });"),
    ],
)
def test_throwing_at_run(compile_plugin, name, lines):
    load(compile_plugin, name, lines)
    made = session(name)
    for _ in range(2):  # the session lives on
        with pytest.raises(opgraft.Error) as caught:
            made.run(None, {"x": X})
        text = str(caught.value)
        assert f'node "n" (com.{name}::Foo)' in text and f'plug-in "com.{name}"' in text
        assert f"boom {name}" in text or "not a std::exception" in text


def test_a_kernel_that_asks_for_other_dims(compile_plugin):
    load(compile_plugin, "dims", "op.kernel(cpu, [](Run& r) { r.output(0, Dims{7}); });")
    with pytest.raises(opgraft.Error) as caught:
        session("dims").run(None, {"x": X})
    assert "asks for dims [7]" in str(caught.value) and "inference gave [2,2]" in str(caught.value)


def test_a_python_kernel_with_the_wrong_type():
    @opgraft.op("com.pywrong::Foo", T=[opgraft.f32])
    def foo(x: "T") -> "T":
        """A kernel that forgets the type."""
        ...

    @foo.infer
    def _(x):
        return x.dtype, [None, None]

    @foo.kernel("cpu")
    def _(x, y):
        return x.astype(np.float64)

    with pytest.raises(opgraft.Error) as caught:
        session("pywrong").run(None, {"x": X})
    assert "must be float, the kernel returned double" in str(caught.value)


def test_a_python_kernel_that_raises_keeps_its_traceback():
    @opgraft.op("com.pyraise::Foo", T=[opgraft.f32])
    def foo(x: "T") -> "T":
        """Raises."""
        ...

    @foo.kernel("cpu")
    def _(x, y):
        raise ZeroDivisionError("boom in Python")

    with pytest.raises(opgraft.Error) as caught:
        session("pyraise").run(None, {"x": X})
    assert "boom in Python" in str(caught.value) and "ZeroDivisionError" in str(caught.value)
    assert "test_plugin_errors.py" in str(caught.value)


def test_two_definitions_name_both_files(compile_plugin):
    body = 'op.body([](Graph& g) { g.node("Identity", {"X"}, {"Y"}); return true; });'
    first = compile_plugin("twice_a", TEMPLATE % {"name": "twice", "lines": body})
    second = compile_plugin("twice_b", TEMPLATE % {"name": "twice", "lines": body})
    opgraft.load_plugin(first)
    opgraft.load_plugin(first)  # the same library again is fine
    with pytest.raises(opgraft.Error) as caught:
        opgraft.load_plugin(second)
    assert "twice_a.so" in str(caught.value) and "twice_b.so" in str(caught.value)
    assert session("twice").run(None, {"x": X})[0].tolist() == X.tolist()


def test_the_standard_domain_is_closed(compile_plugin):
    source = HEAD + 'OG_OP(Mine, "", 1) { op.input("X", "tensor(float)"); }\nOG_PLUGIN("thief", "1.0")\n'
    with pytest.raises(opgraft.Error, match="standard domain"):
        opgraft.load_plugin(compile_plugin("thief", source))


def test_no_way_to_run_is_told(compile_plugin):
    load(compile_plugin, "nothing", "")
    with pytest.raises(opgraft.Error) as caught:
        session("nothing")
    assert "no CPU kernel" in str(caught.value) and "no body" in str(caught.value)


def test_environment_variable(compile_plugin, tmp_path):
    import os
    import subprocess

    body = 'op.body([](Graph& g) { g.node("Identity", {"X"}, {"Y"}); return true; });'
    path = compile_plugin("env", TEMPLATE % {"name": "env", "lines": body})
    model = tmp_path / "m.onnx"
    model.write_bytes(one_node("Foo", "com.env"))
    code = f"import opgraft, numpy as np; s = opgraft.InferenceSession({str(model)!r}); print(s.run(None, {{'x': np.ones((2, 2), np.float32)}})[0].sum())"
    done = subprocess.run(
        [sys.executable, "-c", code], env=os.environ | {"OPGRAFT_PLUGINS": path}, capture_output=True, text=True
    )
    assert done.returncode == 0 and done.stdout.strip() == "4.0", done.stderr
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"OPGRAFT_PLUGINS": "/nowhere.so"},
        capture_output=True,
        text=True,
    )
    assert done.returncode != 0 and "OPGRAFT_PLUGINS" in done.stderr and "/nowhere.so" in done.stderr
