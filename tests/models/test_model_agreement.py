"""Every model of the table gives onnxruntime's results, at each of its input sizes.

The bound is the table's (1e-5 of the output's range in float32). Two networks magnify rounding so much that onnxruntime
with and without its graph optimisations differs by more than that (ppocr4_det: a sigmoid behind logits of -100 to 60;
basic_pitch: the logarithm of the deepest null of a spectrum): there the limit is three times that difference.
"""

import dataclasses

import agreement
import model_table
import numpy as np
import onnx
import pytest
from agreement import Disagreement
from onnx import numpy_helper

WHOLE = [*model_table.REAL, *model_table.STANDARD]


def check_cases(models, model, record, label=""):
    """Runs all cases with one pair of sessions, then the first again: plans of other shapes must not disturb it."""
    failures, first = [], None
    for case in model.cases:
        feeds = case.make()
        ours, reference = models.run_both(feeds)
        first = first or (feeds, ours)
        doubts = models.doubts(feeds, reference)
        for name in models.names:
            what, limit = f"{model.name}{label} {case.name} {name[-24:]}", agreement.allowed(case.bound or model.bound, doubts[name])
            beside = f"allowed {limit:.1e}, onnxruntime from itself {doubts[name]:.1e}"
            try:
                found = agreement.require(name, ours[name], reference[name], limit)
                record(what, f"{found.fraction:.1e}  {beside}")
            except Disagreement as error:
                record(what, f"FAILED   {beside}")
                failures.append(f"{case.name}: {error}")
    assert not failures, "\n".join(failures)
    again = models.run(models.ours, first[0])
    for name in models.names:
        assert np.array_equal(again[name], first[1][name]), f"{name}: the first case gives other values when run again"


@pytest.mark.parametrize("model", WHOLE, ids=lambda model: model.name)
def test_agrees_with_onnxruntime(model, model_path, load_model, record):
    check_cases(load_model(model_path(model.name)), model, record)


@pytest.mark.parametrize("model", [*WHOLE, *model_table.LIGHT], ids=lambda model: model.name)
def test_inputs_and_outputs_are_described_alike(model, model_path, load_model):
    models = load_model(model_path(model.name))
    for ours, reference in (
        (models.ours.get_inputs(), models.reference.get_inputs()),
        (models.ours.get_outputs(), models.reference.get_outputs()),
    ):
        assert [(value.name, value.type) for value in ours] == [(value.name, value.type) for value in reference]
        for mine, theirs in zip(ours, reference, strict=True):
            assert len(mine.shape) == len(theirs.shape), mine.name
            for size, expected in zip(mine.shape, theirs.shape, strict=True):
                assert size == expected or not isinstance(expected, int), f"{mine.name}: {mine.shape}, {theirs.shape}"


# Operators whose output saturates: what goes into the last of them shows errors that it would hide.
# Magika's layer norms subtract nearly equal numbers, which magnifies that onnxruntime's column sums are 1.1e-6 off the
# exact ones (ours 2e-7): 1.4e-5 on machines with AVX-512.
EXPOSED_BOUNDS = {"magika": 3e-5}
SATURATING = {"ppocr4_det": "Sigmoid", "ppocr4_rec": "Softmax", "ppocr2_cls": "Softmax", "magika": "Div"}


@pytest.mark.parametrize("name", SATURATING)
def test_agrees_before_the_last_activation(name, model_path, load_model, record, tmp_path):
    document = onnx.load(model_path(name))
    last = [node for node in document.graph.node if node.op_type == SATURATING[name]][-1]
    exposed = last.input[0]
    if name == "magika":  # its softmax is written out: exp(x - max) / sum
        maker = {output: node for node in document.graph.node for output in node.output}
        exposed = maker[exposed].input[0]
    document.graph.output.append(onnx.helper.make_tensor_value_info(exposed, onnx.TensorProto.FLOAT, None))
    path = tmp_path / f"{name}.onnx"
    onnx.save(document, path)
    model = model_table.MODELS[name]
    model = dataclasses.replace(model, bound=EXPOSED_BOUNDS.get(name, model.bound))
    check_cases(load_model(path), model, record, label=" exposed")


@pytest.mark.parametrize("model", model_table.LIGHT, ids=lambda model: model.name)
def test_light_network_gives_its_shipped_output(model, model_path, load_model, tmp_path):
    """All weights of these files are equal, and so are their outputs: this shows loading and shapes, little more.

    Where logits are so large that rounding one of them once changes the softmax, the logits are compared instead: they
    must be as equal as the shipped outputs.
    """
    expected = onnx.TensorProto()
    expected.ParseFromString(model_path(f"{model.name}_output_0.pb").read_bytes())
    document = onnx.load(model_path(model.name))
    last = document.graph.node[-1]  # a softmax, or what makes the logits
    logits = last.input[0] if last.op_type == "Softmax" else last.output[0]
    if logits not in [output.name for output in document.graph.output]:
        document.graph.output.append(onnx.helper.make_tensor_value_info(logits, onnx.TensorProto.FLOAT, None))
    onnx.save(document, tmp_path / "exposed.onnx")
    models = load_model(tmp_path / "exposed.onnx")
    ours, reference = models.run_both(model.cases[0].make())
    largest = np.abs(reference[logits]).max()
    for name in models.names:
        agreement.check_type_and_shape(name, ours[name], reference[name])
        if name != logits and largest * np.finfo(np.float32).eps > 1e-6:
            assert np.ptp(numpy_helper.to_array(expected)) == 0
            assert np.ptp(ours[logits]) <= 1e-6 * largest
            continue
        np.testing.assert_allclose(ours[name], reference[name], rtol=1e-5)
        if name == last.output[0]:
            np.testing.assert_allclose(ours[name], numpy_helper.to_array(expected), rtol=1e-5)


@pytest.mark.parametrize("model", model_table.LIGHT, ids=lambda model: model.name)
def test_light_network_agrees_with_random_weights(model, model_path, load_model, record, tmp_path):
    path = tmp_path / f"{model.name}.onnx"
    onnx.save(with_random_weights(onnx.load(model_path(model.name))), path)
    check_cases(load_model(path), model, record, label=" random")


def with_random_weights(document: onnx.ModelProto) -> onnx.ModelProto:
    """Replaces the equal weights (ConstantOfShape) by random ones of a fitting size, and also puts out the logits."""
    graph, random = document.graph, np.random.default_rng(1)
    shapes = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    users = {}
    for node in graph.node:
        for position, name in enumerate(node.input):
            users.setdefault(name, []).append((node, position))

    def role(name):
        """Operator and position that a weight reaches, through any Unsqueeze."""
        node, position = users[name][0]
        return role(node.output[0]) if node.op_type == "Unsqueeze" else (node.op_type, position)

    def values(name, shape):
        kind, position = role(name)
        if kind in ("Conv", "Gemm") and position == 1:
            return random.standard_normal(shape) * (2 / np.prod(shape[1:])) ** 0.5
        if kind == "Mul" or (kind, position) == ("BatchNormalization", 1):
            return random.uniform(0.7, 1.1, shape)
        if (kind, position) == ("BatchNormalization", 4):
            return random.uniform(0.6, 1.6, shape)
        return random.standard_normal(shape) * 0.05

    kept = []
    for node in graph.node:
        if node.op_type != "ConstantOfShape":
            kept.append(node)
            continue
        data = values(node.output[0], shapes[node.input[0]]).astype(np.float32)
        graph.initializer.append(numpy_helper.from_array(data, node.output[0]))
        graph.input.append(onnx.helper.make_tensor_value_info(node.output[0], onnx.TensorProto.FLOAT, data.shape))
    del graph.node[:]
    graph.node.extend(kept)
    if kept[-1].op_type == "Softmax":
        shape = [size.dim_value for size in graph.output[0].type.tensor_type.shape.dim]
        graph.output.append(onnx.helper.make_tensor_value_info(kept[-1].input[0], onnx.TensorProto.FLOAT, shape))
    return document
