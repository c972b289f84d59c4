"""Sessions: metadata, feeds of every kind, many threads, profile, folding, functions, old opsets."""

import json
import os
import pathlib
import subprocess
import sys
import threading

import numpy as np
import opgraft
import pytest
from onnx import TensorProto, helper, numpy_helper

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from models_by_hand import model, one_node  # noqa: E402

FLOAT = TensorProto.FLOAT


def test_inputs_outputs_and_metadata():
    session = opgraft.InferenceSession(
        model([helper.make_node("Relu", ["x"], ["y"])], [("x", FLOAT, ["N", 3, None])], [("y", FLOAT, None)])
    )
    (x,) = session.get_inputs()
    assert (x.name, x.type, x.shape) == ("x", "tensor(float)", ["N", 3, None])
    assert session.get_outputs()[0].shape == ["N", 3, None]
    assert session.get_providers() == opgraft.get_available_providers() == ["CPUExecutionProvider"]
    assert session.get_modelmeta().graph_name == "test"


def test_feeds_of_many_kinds():
    session = opgraft.InferenceSession(one_node("Identity", shape=("N", "M")))
    x = np.arange(12).astype(np.float32).reshape(3, 4)
    for feed in (x, np.asfortranarray(x), x[::-1], x.astype(">f4"), x[:, ::2], np.zeros((0, 4), np.float32)):
        np.testing.assert_array_equal(session.run(None, {"x": feed})[0], feed)

    class Dlpack:  # only __dlpack__, as a tensor of another library
        def __dlpack__(self, **options):
            return x.__dlpack__(**options)

        def __dlpack_device__(self):
            return x.__dlpack_device__()

    np.testing.assert_array_equal(session.run(None, {"x": Dlpack()})[0], x)


def test_outputs_do_not_alias_inputs_weights_or_each_other():
    weight = numpy_helper.from_array(np.ones((2, 2), np.float32), "w")
    nodes = [helper.make_node("Identity", ["x"], ["y"]), helper.make_node("Identity", ["w"], ["z"])]
    outputs = [("y", FLOAT, None), ("z", FLOAT, None)]
    session = opgraft.InferenceSession(model(nodes, [("x", FLOAT, [2, 2])], outputs, [weight]))
    x = np.zeros((2, 2), np.float32)
    y, z = session.run(None, {"x": x})
    y += 5
    z += 5
    assert x.sum() == 0
    assert session.run(["z"], {"x": x})[0].tolist() == [[1, 1], [1, 1]]


def test_many_threads_and_shapes_at_once():
    nodes = [helper.make_node("MatMul", ["x", "w"], ["a"]), helper.make_node("Relu", ["a"], ["y"])]
    weight = np.random.default_rng(0).normal(size=(16, 16)).astype(np.float32)
    session = opgraft.InferenceSession(
        model(nodes, [("x", FLOAT, ["N", 16])], [("y", FLOAT, None)], [numpy_helper.from_array(weight, "w")])
    )
    failures = []

    def work(seed):
        rng = np.random.default_rng(seed)
        for _ in range(60):
            x = rng.normal(size=(int(rng.integers(1, 9)), 16)).astype(np.float32)
            got = session.run(None, {"x": x})[0]
            if not np.allclose(got, np.maximum(x @ weight, 0), atol=1e-4):
                failures.append(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_profile_and_trace(tmp_path):
    options = opgraft.SessionOptions()
    options.enable_profiling = True
    options.profile_file_prefix = str(tmp_path / "trace")
    session = opgraft.InferenceSession(one_node("Exp"), options)
    session.run(None, {"x": np.zeros((2, 2), np.float32)})
    events = json.loads(pathlib.Path(session.end_profiling()).read_text())
    assert [event["cat"] for event in events] == ["Exp"] and events[0]["dur"] > 0


def test_shape_arithmetic_is_folded_into_the_plan():
    nodes = [
        helper.make_node("Shape", ["x"], ["s"]),
        helper.make_node("Gather", ["s", "zero"], ["n"]),
        helper.make_node("Concat", ["n", "rest"], ["to"], axis=0),
        helper.make_node("Reshape", ["x", "to"], ["y"]),
    ]
    constants = [numpy_helper.from_array(np.array([v], np.int64), name) for name, v in (("zero", 0), ("rest", -1))]
    options = opgraft.SessionOptions()
    options.enable_profiling = True
    session = opgraft.InferenceSession(
        model(nodes, [("x", FLOAT, ["N", 2, 3])], [("y", FLOAT, None)], constants), options
    )
    assert session.run(None, {"x": np.zeros((5, 2, 3), np.float32)})[0].shape == (5, 6)
    assert {event["op_type"] for event in session.take_profile()} <= {"Reshape"}


def test_model_functions_with_attribute_references():
    inner = helper.make_function(
        "com.f", "Leak", ["a"], ["b"], [_reference("LeakyRelu", ["a"], ["b"], "alpha", "slope")], [helper.make_opsetid("", 18)], ["slope"]
    )
    outer = helper.make_function(
        "com.f",
        "Twice",
        ["a"],
        ["c"],
        [
            helper.make_node("Leak", ["a"], ["b"], domain="com.f", slope=0.5),
            helper.make_node("Leak", ["b"], ["c"], domain="com.f", slope=0.1),
        ],
        [helper.make_opsetid("", 18), helper.make_opsetid("com.f", 1)],
    )
    node = helper.make_node("Twice", ["x"], ["y"], domain="com.f")
    made = model([node], [("x", FLOAT, [2])], [("y", FLOAT, None)], domains=[("com.f", 1)], functions=[inner, outer])
    got = opgraft.InferenceSession(made).run(None, {"x": np.array([-2, 3], np.float32)})[0]
    np.testing.assert_allclose(got, [-0.1, 3], rtol=1e-6)


def _reference(op_type, inputs, outputs, attribute, name):
    node = helper.make_node(op_type, inputs, outputs)
    entry = node.attribute.add()
    entry.name, entry.ref_attr_name, entry.type = attribute, name, 1
    return node


@pytest.mark.parametrize("level", ["scalar", "avx2", "avx512"])
def test_cpu_levels_agree(level, tmp_path):
    path = tmp_path / "m.onnx"
    rng = np.random.default_rng(0)
    weights = [numpy_helper.from_array(rng.normal(0, 0.2, (8, 3, 3, 3)).astype(np.float32), "w")]
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["a"], pads=[1, 1, 1, 1]),
        helper.make_node("Sigmoid", ["a"], ["b"]),
        helper.make_node("Softmax", ["b"], ["y"], axis=-1),
    ]
    path.write_bytes(model(nodes, [("x", FLOAT, [1, 3, 13, 17])], [("y", FLOAT, None)], weights))
    x = rng.normal(size=(1, 3, 13, 17)).astype(np.float32)
    np.save(tmp_path / "x.npy", x)
    code = f"import numpy as np, opgraft; s = opgraft.InferenceSession({str(path)!r}); np.save({str(tmp_path / 'y.npy')!r}, s.run(None, {{'x': np.load({str(tmp_path / 'x.npy')!r})}})[0])"
    done = subprocess.run([sys.executable, "-c", code], env=os.environ | {"OPGRAFT_CPU": level}, capture_output=True, text=True)
    if level != "scalar" and "reaches only" in done.stderr:
        pytest.skip(f"this machine has no {level}")
    assert done.returncode == 0, done.stderr
    want = opgraft.InferenceSession(str(path)).run(None, {"x": x})[0]
    got = np.load(tmp_path / "y.npy")
    assert np.abs(got - want).max() <= 1e-5 * np.abs(want).max()


def test_cpu_level_that_does_not_exist():
    code = "import opgraft; opgraft.operators()"
    done = subprocess.run([sys.executable, "-c", code], env=os.environ | {"OPGRAFT_CPU": "mmx"}, capture_output=True, text=True)
    done_cli = subprocess.run([sys.executable, "-m", "opgraft._cli", "ops"], env=os.environ | {"OPGRAFT_CPU": "mmx"}, capture_output=True, text=True)
    assert "write scalar, avx2 or avx512" in done.stderr + done_cli.stderr and done_cli.returncode == 1


def test_command_line(tmp_path):
    path = tmp_path / "m.onnx"
    path.write_bytes(one_node("Relu"))

    def run(*arguments):
        return subprocess.run([sys.executable, "-m", "opgraft._cli", *arguments], capture_output=True, text=True)

    done = run("run", str(path), "--json", "--repeat", "3", "--profile")
    assert done.returncode == 0 and json.loads(done.stdout)["outputs"]["y"]["shape"] == [2, 2]
    done = run("info", str(path), "--json")
    assert json.loads(done.stdout)["inputs"][0] == {"name": "x", "type": "tensor(float)", "shape": [2, 2]}
    assert any(op["name"] == "Softmax" for op in json.loads(run("ops", "--json").stdout))
    (line,) = [line for line in run("ops", "--format", "onnx").stdout.splitlines() if line.startswith("Softmax ")]
    assert line.startswith("Softmax  versions 1, 11, 13  [kernel]  opgraft") and line.endswith("T: bfloat16, double, float, float16")
    listed = {op["name"]: op for op in json.loads(run("ops", "--format", "onnx", "--json").stdout)}
    assert listed["Erf"]["versions"] == [9, 13] and "body" in listed["Erf"]["runs"] and listed["Erf"]["file"] == "built-in"
    assert run("ops", "--format", "nothing").returncode == 1
    assert json.loads(run("plugin", "list", "--json").stdout)[0]["file"] == "built-in"
    assert run("run", str(tmp_path / "none.onnx")).returncode == 1
    assert run("fly").returncode == 2
    assert run().returncode == 2


@pytest.mark.parametrize(
    "arguments, text",
    [
        (["run", "MODEL", "--shape", "z=1,2"], "--shape z: the model has no such input; its inputs are x"),
        (["run", "MODEL", "--shape", "x=-1,2"], "--shape x=-1,2: dims must not be negative"),
        (["run", "MODEL", "--shape", "x=a"], "--shape x=a: dims must be whole numbers"),
        (["run", "MODEL", "--shape", "x=99999999999,99999999999"], "more than 1073741824 elements"),
        (["run", "MODEL", "--shape", "x=3,3"], "wrong arguments of run"),
        (["run", "MODEL", "--input", "x=nowhere.npy"], "nowhere.npy"),
        (["ops", "DoesNotExist"], "no registered operator has 'DoesNotExist' in its name"),
    ],
)
def test_command_line_refusals(tmp_path, arguments, text):
    path = tmp_path / "m.onnx"
    path.write_bytes(one_node("Relu"))
    words = [str(path) if word == "MODEL" else word for word in arguments]
    done = subprocess.run([sys.executable, "-m", "opgraft._cli", *words], capture_output=True, text=True)
    assert done.returncode == 1 and text in done.stderr and "Traceback" not in done.stderr


def test_infer_shapes_names_every_value():
    then = helper.make_graph(
        [helper.make_node("Neg", ["b"], ["n"])], "t", [], [helper.make_tensor_value_info("n", FLOAT, None)]
    )
    other = helper.make_graph(
        [helper.make_node("Concat", ["b", "b"], ["m"], axis=1)],
        "e",
        [],
        [helper.make_tensor_value_info("m", FLOAT, None)],
    )
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["a"], pads=[1, 1, 1, 1], strides=[2, 2]),
        helper.make_node("Reshape", ["a", "to"], ["b"]),
        helper.make_node("If", ["c"], ["y"], then_branch=then, else_branch=other),
    ]
    weights = [
        numpy_helper.from_array(np.ones((4, 3, 3, 3), np.float32), "w"),
        numpy_helper.from_array(np.array([0, -1], np.int64), "to"),
    ]
    made = model(
        nodes, [("x", FLOAT, ["N", 3, 8, 8]), ("c", TensorProto.BOOL, [])], [("y", FLOAT, None)], initializers=weights
    )
    shapes = opgraft.infer_shapes(made)
    assert {name: (value.type, value.shape) for name, value in shapes.items()} == {
        "x": ("tensor(float)", ["N", 3, 8, 8]),
        "c": ("tensor(bool)", []),
        "w": ("tensor(float)", [4, 3, 3, 3]),
        "to": ("tensor(int64)", [2]),
        "a": ("tensor(float)", ["N", 4, 4, 4]),
        "b": ("tensor(float)", ["N", 64]),
        "n": ("tensor(float)", ["N", 64]),
        "m": ("tensor(float)", ["N", 128]),
        "y": ("tensor(float)", ["N", None]),
    }
    assert shapes["c"].ranked
