"""Errors say what, where, what was found and what to do: the texts are tested."""

import sys

import numpy as np
import opgraft
import pytest
from onnx import TensorProto, helper

sys.path.insert(0, str(__import__("pathlib").Path(__file__).parents[1]))
from models_by_hand import model, one_node  # noqa: E402

FLOAT = TensorProto.FLOAT


def load_error(source):
    with pytest.raises(opgraft.Error) as caught:
        opgraft.InferenceSession(source)
    return str(caught.value)


def test_all_unknown_operators_are_in_one_error():
    inner = helper.make_graph(
        [helper.make_node("Hidden", ["x"], ["h"], name="deep", domain="com.b")],
        "then",
        [],
        [helper.make_tensor_value_info("h", FLOAT, None)],
    )
    other = helper.make_graph(
        [helper.make_node("Relu", ["x"], ["e"])], "else", [], [helper.make_tensor_value_info("e", FLOAT, None)]
    )
    nodes = [
        helper.make_node("Gemmm", ["x"], ["a"], name="typo"),
        helper.make_node("Foo", ["a"], ["b"], name="foreign", domain="com.nobody"),
        helper.make_node("Relu", ["b"], ["c"], name="wrong_domain", domain="com.nobody"),
        helper.make_node("If", ["flag"], ["y"], name="branch", then_branch=inner, else_branch=other),
    ]
    text = load_error(
        model(
            nodes,
            [("x", FLOAT, [2]), ("flag", TensorProto.BOOL, [])],
            [("y", FLOAT, None)],
            domains=[("com.nobody", 3), ("com.b", 1)],
        )
    )
    assert "4 problems" in text
    assert 'node "typo"' in text and 'operator Gemmm of domain "ai.onnx", version 18, is not registered' in text
    assert "did you mean Gemm?" in text
    assert 'node "foreign"' in text and 'domain "com.nobody", version 3' in text
    assert "the same name is registered in the standard domain" in text
    assert "graph/branch/then_branch" in text and "com.b::Hidden" in text
    assert "opgraft.load_plugin" in text and "OPGRAFT_PLUGINS" in text


def test_a_node_with_thousands_of_inputs_gives_a_short_error():
    inputs = [("x", FLOAT, [2]), ("z", FLOAT, [3, 3])]
    node = helper.make_node("Concat", ["x"] * 5000 + ["z"], ["y"], name="long", axis=0)
    text = load_error(model([node], inputs, [("y", FLOAT, None)]))
    assert 'node "long"' in text and "and 4985 more)" in text and len(text) < 2000


def test_the_middle_of_an_endless_error_is_left_out():
    nodes = [helper.make_node("No" + "o" * 30000, ["x"], [f"y{i}"], name=f"node{i}") for i in range(9)]
    text = load_error(model(nodes, [("x", FLOAT, [2])], [("y0", FLOAT, None)]))
    assert "bytes left out" in text and "9 problems" in text and "opgraft.load_plugin" in text and len(text) < 60000


def test_missing_opset_import_is_told():
    node = helper.make_node("Foo", ["x"], ["y"], name="n", domain="com.nobody")
    text = load_error(model([node], [("x", FLOAT, [2])], [("y", FLOAT, None)]))
    assert 'does not import domain "com.nobody"' in text and "opset_import" in text


def test_opset_of_the_future():
    text = load_error(
        model([helper.make_node("Relu", ["x"], ["y"], name="n")], [("x", FLOAT, [2])], [("y", FLOAT, None)], opset=99)
    )
    assert "opset 99" in text and "up to 28" in text


def test_wrong_version_of_a_known_operator():
    @opgraft.op("com.errors::Later", since=2, T=[opgraft.f32])
    def later(x: "T") -> "T":
        """x"""
        return opgraft.relu(x)

    text = load_error(one_node("Later", "com.errors", 1))
    assert "Later is registered" in text and "since version 2" in text and "asks for version 1" in text


def test_wrong_type():
    text = load_error(one_node("Sigmoid", elem=TensorProto.INT32))
    assert 'node "n" (Sigmoid)' in text and 'input "X" is tensor(int32)[2,2]' in text
    assert "allows" in text and "tensor(float)" in text


def test_types_that_must_agree():
    node = helper.make_node("Add", ["x", "z"], ["y"], name="n")
    text = load_error(model([node], [("x", FLOAT, [2]), ("z", TensorProto.INT64, [2])], [("y", FLOAT, None)]))
    assert "must have the same type" in text and "tensor(float)" in text and "tensor(int64)" in text


def test_wrong_shape_in_the_model():
    node = helper.make_node("Add", ["x", "z"], ["y"], name="n")
    text = load_error(model([node], [("x", FLOAT, [2, 3]), ("z", FLOAT, [4])], [("y", FLOAT, None)]))
    assert 'node "n" (Add)' in text and "[2,3]" in text and "[4]" in text and "broadcast" in text


def test_unknown_attribute():
    text = load_error(one_node("Relu", alpha=1.0))
    assert 'attribute "alpha" is unknown' in text and "Relu(X: T) -> (Y: T)" in text


def test_wrong_feeds_are_all_named():
    session = opgraft.InferenceSession(
        model(
            [helper.make_node("Add", ["x", "z"], ["y"], name="n")],
            [("x", FLOAT, [2, "N"]), ("z", FLOAT, [2, 1])],
            [("y", FLOAT, None)],
        )
    )
    with pytest.raises(opgraft.Error) as caught:
        session.run(["nope"], {"x": np.zeros((3, 2, 1), np.float32), "q": np.zeros(1)})
    text = str(caught.value)
    assert 'input "x" must be tensor(float)[2,N], got tensor(float)[3,2,1]: rank 3 instead of 2' in text
    assert 'there is no input "q"; the inputs are "x", "z"' in text
    assert 'input "z" (tensor(float)[2,1]) is missing' in text
    assert 'there is no output "nope"; the outputs are "y"' in text
    with pytest.raises(opgraft.Error, match="wrong element type"):
        session.run(None, {"x": np.zeros((2, 2), np.float64), "z": np.zeros((2, 1), np.float32)})
    with pytest.raises(opgraft.Error, match="dim 0 is 3 instead of 2"):
        session.run(None, {"x": np.zeros((3, 2), np.float32), "z": np.zeros((2, 1), np.float32)})


def test_shapes_that_only_the_run_shows():
    node = helper.make_node("Add", ["x", "z"], ["y"], name="sum")
    session = opgraft.InferenceSession(model([node], [("x", FLOAT, ["A"]), ("z", FLOAT, ["B"])], [("y", FLOAT, None)]))
    with pytest.raises(opgraft.Error) as caught:
        session.run(None, {"x": np.zeros(2, np.float32), "z": np.zeros(3, np.float32)})
    assert 'node "sum" (Add)' in str(caught.value) and "[2]" in str(caught.value) and "[3]" in str(caught.value)
    assert session.run(None, {"x": np.ones(2, np.float32), "z": np.ones(1, np.float32)})[0].tolist() == [2, 2]


@pytest.mark.parametrize(
    ("contents", "says"),
    [
        (b"", "empty"),
        (b"PK\x03\x04" + bytes(40), "ZIP"),
        (b"hello, this is some text and not a model at all, really\n", "text|not an ONNX"),
        (bytes(4) + b"TFL3" + bytes(40), "TensorFlow Lite"),
    ],
)
def test_files_that_are_no_models(write, contents, says):
    path = write("model.onnx", contents)
    with pytest.raises(opgraft.Error, match=f"(?s)model.onnx.*({says})"):
        opgraft.InferenceSession(path)


def test_truncated_file(write):
    whole = one_node("Relu")
    for length in range(1, len(whole) - 1, 7):
        with pytest.raises(opgraft.Error, match="model.onnx"):
            opgraft.InferenceSession(write("model.onnx", whole[:length]))


def test_missing_file_and_folder(tmp_path):
    with pytest.raises(opgraft.Error, match="nowhere.onnx"):
        opgraft.InferenceSession(str(tmp_path / "nowhere.onnx"))
    with pytest.raises(opgraft.Error, match="(?i)folder|directory"):
        opgraft.InferenceSession(str(tmp_path))


def test_unknown_option_is_named():
    with pytest.raises(AttributeError, match="intra_op_threads"):
        opgraft.SessionOptions().intra_op_threads = 1
    with pytest.raises(ValueError, match="CUDAExecutionProvider"):
        opgraft.InferenceSession(one_node("Relu"), providers=["CUDAExecutionProvider"])


def test_allow_list():
    options = opgraft.SessionOptions()
    options.allowed_operators = {"::Add"}
    with pytest.raises(opgraft.Error, match="allowed"):
        opgraft.InferenceSession(one_node("Relu"), options)
    options.allowed_operators = {"::Relu"}
    opgraft.InferenceSession(one_node("Relu"), options)


def test_arguments_of_the_wrong_kind():
    x = np.ones((2, 2), np.float32)
    session = opgraft.InferenceSession(one_node("Relu"))
    for feeds, text in (([x], "not list"), (None, "not NoneType"), ({1: x}, "not int: 1"), (x, "not ndarray")):
        with pytest.raises(TypeError, match=text):
            session.run(None, feeds)
    with pytest.raises(TypeError, match="output_names must be a list of names or None, not str"):
        session.run("y", {"x": x})
    with pytest.raises(TypeError, match="not int: 3"):
        session.run([3], {"x": x})
    for source in (None, 7, [1], {}):
        with pytest.raises(TypeError, match="path_or_bytes must be a path or the model's bytes, not "):
            opgraft.InferenceSession(source)
    with pytest.raises(TypeError, match="sess_options must be SessionOptions or None, not dict"):
        opgraft.InferenceSession(one_node("Relu"), {"threads": 1})


def test_feeds_that_are_no_arrays_are_named_all():
    nodes = [helper.make_node("Add", ["a", "b"], ["c"]), helper.make_node("Add", ["c", "d"], ["y"])]
    made = model(nodes, [(name, FLOAT, [2, 2]) for name in "abd"], [("y", FLOAT, None)])
    with pytest.raises(opgraft.Error) as caught:
        opgraft.InferenceSession(made).run(
            None, {"a": [[1.0], [1.0, 2.0]], "b": np.array([1, 2], dtype=object), "d": np.zeros(2, "datetime64[s]")}
        )
    text = str(caught.value)
    assert 'input "a": setting an array element with a sequence' in text
    assert 'input "b": element 0 of the object array is int, not str or bytes' in text
    assert 'input "d": NumPy type datetime64[s] has no ONNX element type' in text


def test_bytes_that_are_no_text_are_not_called_text():
    assert "text" not in load_error(b"\xff" * 100)
    assert "text; ONNX models are binary" in load_error("größer als früher ".encode() * 40)
