"""Real models quantised by onnxruntime's quantizer, in four forms, against exact arithmetic.

Two checks. First, in our own session every integer product (MatMulInteger, ConvInteger) equals NumPy's sum in double
precision, which is exact below 2**53: no accumulator saturates or rounds. QLinearMatMul and QLinearConv give that sum
times the scales, rounded half to even: a result may differ by one step only where the product lies within float32's
precision of a tie. Second, the outputs agree with onnxruntime, which runs without graph optimisations, and with its
switch for exact U8S8 products. There a whole model has a wider bound: an activation near a tie goes to the next step when
the float arithmetic before it rounds once differently, and that step, about 1/255 of the tensor's range, is passed on.
The bound is a quarter of what quantisation itself changes in the outputs, or 8e-3 of their range (two steps of 8 bits).
"""

import dataclasses

import model_table
import numpy as np
import onnx
import opgraft
import pytest
from integer_arithmetic import check_exact

onnxruntime = pytest.importorskip("onnxruntime")
from onnxruntime import quantization  # noqa: E402


@dataclasses.dataclass(frozen=True)
class Form:
    """A way to quantise: `fields` of quantize_static, or None for dynamic quantisation."""

    name: str
    fields: dict | None


U8, S8 = quantization.QuantType.QUInt8, quantization.QuantType.QInt8
FORMS = (
    Form("qdq-u8s8", {"quant_format": quantization.QuantFormat.QDQ, "activation_type": U8, "weight_type": S8}),
    Form("qdq-s8s8", {"quant_format": quantization.QuantFormat.QDQ, "activation_type": S8, "weight_type": S8}),
    Form("qoperator", {"quant_format": quantization.QuantFormat.QOperator, "activation_type": U8, "weight_type": S8}),
    Form("dynamic", None),
)
NAMES = ("ppocr2_cls", "magika", "basic_pitch", "nakdimon", "resnet50", "mobilenetv2")
# Here the quantizer writes an invalid graph (a bias in place of the result of the same convolution): both engines refuse it.
REFUSED = {("basic_pitch", "qdq-u8s8"), ("basic_pitch", "qdq-s8s8")}


class Calibration(quantization.CalibrationDataReader):
    """The cases of a model, once."""

    def __init__(self, model):
        self.feeds = iter([case.make() for case in model.cases])

    def get_next(self):
        return next(self.feeds, None)


def quantise(model, path, target, form):
    if form.fields is None:
        quantization.quantize_dynamic(path, target, weight_type=S8, per_channel=False)
    else:
        quantization.quantize_static(path, target, Calibration(model), per_channel=True, **form.fields)


def reference_session(path):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.intra_op_num_threads = 2
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.add_session_config_entry("session.x64quantprecision", "1")
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def distance(a, b):
    """Largest difference of two lists of outputs, each as a fraction of its range; whole numbers: the share that differs."""
    worst = 0.0
    for x, y in zip(a, b, strict=True):
        assert x.dtype == y.dtype and x.shape == y.shape
        if x.dtype.kind == "f":
            worst = max(worst, float(np.abs(x - y).max() / max(np.ptp(y), 1e-30)))
        else:
            worst = max(worst, float(np.mean(x != y)))
    return worst


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
@pytest.mark.parametrize("name", NAMES)
def test_quantised_model(name, form, model_path, record, tmp_path):
    model, target = model_table.MODELS[name], tmp_path / "quantised.onnx"
    quantise(model, model_path(name), target, form)
    integer_nodes = [node.op_type for node in onnx.load(target).graph.node if "Integer" in node.op_type or "Linear" in node.op_type]
    assert integer_nodes, "the quantizer left the model as it was"
    if (name, form.name) in REFUSED:
        for load in (opgraft.InferenceSession, reference_session):
            with pytest.raises(Exception, match="perm"):
                load(target)
        return
    session, reference, unquantised = opgraft.InferenceSession(target), reference_session(target), reference_session(model_path(name))
    feeds = model.cases[0].make()
    checked = check_exact(target, feeds)
    assert checked > 0 or form.name.startswith("qdq")
    got, want, real = session.run(None, feeds), reference.run(None, feeds), unquantised.run(None, feeds)
    error, loss = distance(got, want), distance(want, real)
    record(f"{name} {form.name}", f"{error:.1e}  quantisation itself {loss:.1e}, {len(integer_nodes)} quantised nodes")
    assert error <= max(loss / 4, 8e-3), f"{error:.2e} from onnxruntime; the quantised model is {loss:.2e} from the unquantised"
