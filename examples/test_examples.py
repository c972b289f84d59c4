"""Tests of the installed example packages: every way, type and shape, import orders, symbols."""

import itertools
import pathlib
import subprocess
import sys

import numpy as np
import pytest
from onnx import TensorProto, helper

TYPES = {"float32": TensorProto.FLOAT, "int32": TensorProto.INT32, "float16": TensorProto.FLOAT16}
DOMAINS = {"foo_cpp": "com.examples", "foo_python": "com.examples.python", "foo_onnx": "com.examples.onnx"}


def make_model(domain, dtype="float32", shape=(2, 2), op_type="Foo", **attributes):
    node = helper.make_node(op_type, ["input1"], ["output1"], domain=domain, **attributes)
    inputs = [helper.make_tensor_value_info("input1", TYPES[dtype], shape)]
    outputs = [helper.make_tensor_value_info("output1", TYPES[dtype], shape)]
    graph = helper.make_graph([node], "example", inputs, outputs)
    imports = [helper.make_opsetid("", 18), helper.make_opsetid(domain, 1)]
    return helper.make_model(graph, opset_imports=imports, ir_version=10).SerializeToString()


@pytest.mark.parametrize("package", DOMAINS)
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", [(2, 2), ("N", "M"), (None, 3), ()])
def test_foo_returns_its_input(package, dtype, shape):
    __import__(package)
    import opgraft

    session = opgraft.InferenceSession(make_model(DOMAINS[package], dtype, shape))
    for size in [(2, 2)] if shape == (2, 2) else [()] if shape == () else [(5, 3), (0, 3), (1, 3)]:
        x = np.random.default_rng(0).normal(0, 9, size).astype(dtype)
        np.testing.assert_array_equal(session.run(None, {"input1": x})[0], x)
    found = opgraft.operators(DOMAINS[package], "Foo")
    assert len(found) == 1 and found[0]["has_body"] and not found[0]["kernels"]
    assert sorted(found[0]["types"]["T"]) == ["tensor(float)", "tensor(float16)", "tensor(int32)"]


def test_a_wrong_type_is_refused():
    import foo_cpp  # noqa: F401
    import opgraft

    TYPES["float64"] = TensorProto.DOUBLE
    with pytest.raises(opgraft.Error, match="allows tensor.float., tensor.int32., tensor.float16."):
        opgraft.InferenceSession(make_model("com.examples", "float64"))
    del TYPES["float64"]


def run_imports(order, package, tmp_path):
    """Imports in this order in a fresh process, then runs Foo."""
    path = tmp_path / "model.onnx"
    path.write_bytes(make_model(DOMAINS[package]))
    lines = [f"import {name}" for name in order]
    lines += [
        "import numpy as np, opgraft",
        f"session = opgraft.InferenceSession({str(path)!r})",
        "x = np.random.rand(2, 2).astype(np.float32)",
        "np.testing.assert_equal(session.run(None, {'input1': x})[0], x)",
    ]
    done = subprocess.run([sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True)
    assert done.returncode == 0, f"{order}: {done.stderr}"


@pytest.mark.parametrize("package", ["foo_onnx", "foo_cpp"])
def test_every_order_of_imports(package, tmp_path):
    for order in itertools.permutations(["opgraft", package, "onnx", "onnxruntime"]):
        run_imports(order, package, tmp_path)
    run_imports([package], package, tmp_path)
    run_imports(["opgraft", package], package, tmp_path)


@pytest.mark.parametrize("package", ["foo_cpp", "foo_python"])
def test_installed_packages_are_found_without_an_import(package, tmp_path):
    run_imports([], package, tmp_path)


def test_swish_kernel_and_body_agree():
    import swish_cpp  # noqa: F401
    from opgraft.testing import check_op

    check_op(
        "Swish",
        domain="com.examples",
        shapes=[(2, 3), (13, 17), (0, 5), (), (3, 40000)],
        dtypes=["f32", "f16"],
        attrs={"alpha": [0.5, 1.0, -2.0]},
        reference=lambda x, alpha: x / (1 + np.exp(-alpha * x)),
    )


def test_libraries_export_one_symbol_and_import_none():
    import foo_cpp
    import foo_onnx
    import swish_cpp

    files = [next(pathlib.Path(m.__file__).parent.glob("*.so")) for m in (foo_cpp, swish_cpp)] + [foo_onnx.__file__]
    for file in files:
        defined = subprocess.run(["nm", "-D", "--defined-only", str(file)], capture_output=True, text=True, check=True)
        undefined = subprocess.run(["nm", "-D", "--undefined-only", str(file)], capture_output=True, text=True, check=True)
        exported = [line.split()[-1] for line in defined.stdout.splitlines()]
        ours = [name for name in exported if "opgraft" in name or "onnx" in name and not name.startswith("PyInit")]
        assert ours == ["opgraft_plugin_v1"], f"{file} exports {ours}"
        foreign = [line.split()[-1] for line in undefined.stdout.splitlines() if "opgraft" in line or "og_" in line or "4onnx" in line]
        assert not foreign, f"{file} imports {foreign}"
