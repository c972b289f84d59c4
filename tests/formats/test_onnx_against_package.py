# Compares the ONNX reader with the onnx package: every node, attribute, type and byte of weights of many models.
import os
import pathlib
import subprocess
import zlib

import numpy as np
import onnx
import pytest
from onnx import AttributeProto, TensorProto, helper, numpy_helper

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = pathlib.Path(onnx.__file__).parent / "backend" / "test" / "data"
MODELS = ROOT / ".cache" / "models"
TYPE_NAMES = {number: name.lower() for name, number in TensorProto.DataType.items()}
TYPE_NAMES[0] = "?"
BITS = {TensorProto.UINT4: 4, TensorProto.INT4: 4, TensorProto.FLOAT4E2M1: 4, TensorProto.UINT2: 2, TensorProto.INT2: 2}
BITS |= {TensorProto.FLOAT6E2M3: 6, TensorProto.FLOAT6E3M2: 6}


def find_tool() -> str:
    """The tool that prints what the reader made: from OPGRAFT_DUMP_ONNX, or the newest build folder."""
    if "OPGRAFT_DUMP_ONNX" in os.environ:
        return os.environ["OPGRAFT_DUMP_ONNX"]
    found = sorted(ROOT.glob("build*/**/dump_onnx"), key=lambda path: path.stat().st_mtime)
    assert found, "dump_onnx is not built: build the tests, or set OPGRAFT_DUMP_ONNX"
    return str(found[-1])


def domain_of(domain: str) -> str:
    return "" if domain == "ai.onnx" else domain


def crc(data: bytes) -> int:
    return zlib.crc32(data)


def type_text(proto: onnx.TypeProto) -> str:
    which = proto.WhichOneof("value")
    if which in ("tensor_type", "sparse_tensor_type"):
        tensor = getattr(proto, which)
        text = f"tensor({TYPE_NAMES[tensor.elem_type]})"
        if not tensor.HasField("shape"):
            return text + "[...]"
        dims = []
        for dim in tensor.shape.dim:
            kind = dim.WhichOneof("value")
            named = kind == "dim_param" and dim.dim_param
            number = kind == "dim_value" and dim.dim_value >= 0
            dims.append(dim.dim_param if named else str(dim.dim_value) if number else "?")
        return text + "[" + ",".join(dims) + "]"
    if which == "sequence_type":
        return f"seq({type_text(proto.sequence_type.elem_type)})"
    if which == "optional_type":
        return f"optional({type_text(proto.optional_type.elem_type)})"
    if which == "map_type":
        return f"map({TYPE_NAMES[proto.map_type.key_type]},{type_text(proto.map_type.value_type)})"
    return "?"


def pack(array: np.ndarray, bits: int) -> bytes:
    """Elements of `bits` bits, the first in the lowest bits of a byte."""
    stream = np.unpackbits(array.view(np.uint8).reshape(-1, 1), axis=1, count=bits, bitorder="little")
    return np.packbits(stream.reshape(-1), bitorder="little").tobytes()


def tensor_text(tensor: TensorProto, folder: pathlib.Path) -> str:
    dims = ",".join(str(dim) for dim in tensor.dims)
    if tensor.data_type == TensorProto.STRING:
        total = 0
        for text in tensor.string_data:
            total = zlib.crc32(f"{len(text)}:".encode() + text, total)
    else:
        array = numpy_helper.to_array(tensor, str(folder))
        total = crc(pack(array, BITS[tensor.data_type]) if tensor.data_type in BITS else array.tobytes())
    return f"tensor({TYPE_NAMES[tensor.data_type]})[{dims}] {total}"


def dense_text(sparse: onnx.SparseTensorProto) -> str:
    values = numpy_helper.to_array(sparse.values)
    indices = numpy_helper.to_array(sparse.indices)
    dense = np.zeros(list(sparse.dims), values.dtype)
    for value, index in zip(values, indices):
        dense[np.unravel_index(index, dense.shape) if indices.ndim == 1 else tuple(index)] = value
    dims = ",".join(str(dim) for dim in sparse.dims)
    return f"tensor({TYPE_NAMES[sparse.values.data_type]})[{dims}] {crc(dense.tobytes())}"


def free_names(graph: onnx.GraphProto) -> set:
    """Names that a subgraph takes from outside."""
    own = {value.name for value in graph.input} | {tensor.name for tensor in graph.initializer}
    own |= {name for node in graph.node for name in node.output}
    used = {value.name for value in graph.output}
    for node in graph.node:
        used |= set(node.input) | captures_of(node)
    return used - own - {""}


def captures_of(node: onnx.NodeProto) -> set:
    names = set()
    for attribute in node.attribute:
        for graph in ([attribute.g] if attribute.HasField("g") else []) + list(attribute.graphs):
            names |= free_names(graph)
    return names


class Dumper:
    """Writes the text that tests/formats/dump_onnx.cc writes."""

    def __init__(self, model: onnx.ModelProto, folder: pathlib.Path):
        self.model = model
        self.folder = folder
        self.lines = []
        self.opsets = {domain_of(entry.domain): entry.version for entry in model.opset_import}

    def attribute(self, attribute: AttributeProto, indent: str, opsets: dict):
        kind = attribute.type
        kinds = {
            AttributeProto.SPARSE_TENSOR: AttributeProto.TENSOR,
            AttributeProto.SPARSE_TENSORS: AttributeProto.TENSORS,
        }
        line = f"{indent}attribute {attribute.name} kind {kinds.get(kind, kind)}"
        graphs = []
        if attribute.ref_attr_name:
            line += f" @{attribute.ref_attr_name}"
        elif kind in (AttributeProto.INT, AttributeProto.INTS):
            numbers = [attribute.i] if kind == AttributeProto.INT else attribute.ints
            line += "".join(f" {number}" for number in numbers)
        elif kind in (AttributeProto.FLOAT, AttributeProto.FLOATS):
            numbers = [attribute.f] if kind == AttributeProto.FLOAT else attribute.floats
            line += "".join(f" {number:.9g}" for number in numbers)
        elif kind in (AttributeProto.STRING, AttributeProto.STRINGS):
            texts = [attribute.s] if kind == AttributeProto.STRING else attribute.strings
            line += "".join(f" {len(text)}:{crc(text)}" for text in texts)
        elif kind in (AttributeProto.TENSOR, AttributeProto.TENSORS):
            tensors = [attribute.t] if kind == AttributeProto.TENSOR else attribute.tensors
            line += "".join(" " + tensor_text(tensor, self.folder) for tensor in tensors)
        elif kind in (AttributeProto.SPARSE_TENSOR, AttributeProto.SPARSE_TENSORS):
            tensors = [attribute.sparse_tensor] if kind == AttributeProto.SPARSE_TENSOR else attribute.sparse_tensors
            line += "".join(" " + dense_text(tensor) for tensor in tensors)
        elif kind in (AttributeProto.TYPE_PROTO, AttributeProto.TYPE_PROTOS):
            types = [attribute.tp] if kind == AttributeProto.TYPE_PROTO else attribute.type_protos
            line += "".join(" " + type_text(proto) for proto in types)
        else:
            graphs = [attribute.g] if kind == AttributeProto.GRAPH else attribute.graphs
        self.lines.append(line)
        for graph in graphs:
            self.graph(graph, indent + "  ", opsets)

    def node(self, node: onnx.NodeProto, index: int, indent: str, opsets: dict):
        domain = domain_of(node.domain)
        version = opsets.get(domain, self.opsets.get(domain, 0))
        inputs = "".join(name + "," for name in node.input)
        outputs = "".join(name + "," for name in node.output)
        captures = "".join(" " + name for name in sorted(captures_of(node), key=lambda name: name.encode()))
        name = node.name or f"{node.op_type}#{index}"
        self.lines.append(
            f"{indent}node {name} = {domain}::{node.op_type}:{node.overload} {version} ({inputs}) -> ({outputs}) "
            f"captures{captures}"
        )
        for attribute in node.attribute:
            self.attribute(attribute, indent + "  ", opsets)

    def graph(self, graph: onnx.GraphProto, indent: str, opsets: dict):
        self.lines.append(f"{indent}graph {graph.name}")
        constants = {tensor.name: tensor_text(tensor, self.folder) for tensor in graph.initializer}
        constants |= {sparse.values.name: dense_text(sparse) for sparse in graph.sparse_initializer}
        inputs = [value.name for value in graph.input]
        for value in graph.input:
            self.lines.append(f"{indent}input {value.name} {type_text(value.type)}")
        for name in [name for name in inputs if name in constants] + [n for n in constants if n not in inputs]:
            self.lines.append(f"{indent}initializer {name} {constants[name]}")
        for index, node in enumerate(graph.node):
            self.node(node, index, indent, opsets)
        for value in graph.output:
            self.lines.append(f"{indent}output {value.name}")

    def function(self, function: onnx.FunctionProto):
        names = "".join(" " + name for name in function.attribute)
        domain = domain_of(function.domain)
        self.lines.append(f"function {domain}::{function.name}:{function.overload}{names}")
        opsets = {domain_of(entry.domain): entry.version for entry in function.opset_import}
        for attribute in function.attribute_proto:
            self.attribute(attribute, "  ", opsets)
        self.lines.append(f"  graph {function.name}")
        self.lines += [f"  input {name} ?" for name in function.input]
        for index, node in enumerate(function.node):
            self.node(node, index, "  ", opsets)
        self.lines += [f"  output {name}" for name in function.output]

    def text(self) -> list:
        model = self.model
        self.lines.append(
            f"model {model.ir_version} {model.producer_name} {model.producer_version} {model.domain} "
            f"{model.model_version} {crc(model.doc_string.encode())}"
        )
        metadata = {entry.key: entry.value for entry in model.metadata_props}
        self.lines += [f"metadata {key}={metadata[key]}" for key in sorted(metadata)]
        self.lines += [f"opset {domain} {self.opsets[domain]}" for domain in sorted(self.opsets)]
        for function in model.functions:
            self.function(function)
        self.graph(model.graph, "", self.opsets)
        return "\n".join(self.lines).split("\n")


def compare(paths: list, folder: pathlib.Path):
    for start in range(0, len(paths), 500):
        batch = paths[start : start + 500]
        subprocess.run([find_tool(), str(folder), *map(str, batch)], check=True, timeout=600)
        for i, path in enumerate(batch):
            found = (folder / f"{i}.dump").read_text().split("\n")
            model = onnx.load(path, load_external_data=False)
            expected = Dumper(model, pathlib.Path(path).parent).text() + [""]
            assert not found[0].startswith("error"), f"{path}: {found}"
            for line, (a, b) in enumerate(zip(found, expected)):
                assert a == b, f"{path}, line {line}: the reader has\n{a}\nthe onnx package has\n{b}"
            assert len(found) == len(expected), path


def test_models_of_the_onnx_package(tmp_path):
    paths = sorted(DATA.glob("**/*.onnx"))
    assert len(paths) > 100
    compare(paths, tmp_path)


def test_real_models(tmp_path):
    paths = sorted(MODELS.glob("*.onnx"))
    if not paths:
        pytest.skip("no models in .cache/models: run scripts/fetch_models.py")
    compare(paths, tmp_path)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_node_cases_of_the_onnx_package(tmp_path):
    """Every operator, element type, sequence, optional and function that the standard's own tests use."""
    from onnx.backend.test.case.node import collect_testcases

    paths = []
    for case in collect_testcases(None):
        if case.model is None:
            continue
        paths.append(tmp_path / f"case{len(paths)}.onnx")
        paths[-1].write_bytes(case.model.SerializeToString())
    assert len(paths) > 1000
    compare(paths, tmp_path)


def make_tensor_forms() -> list:
    """Each element type as raw bytes and in the field for numbers."""
    tensors = []
    for number in sorted(TensorProto.DataType.values()):
        if number == 0:
            continue
        name = TYPE_NAMES[number]
        if number == TensorProto.STRING:
            tensors.append(helper.make_tensor("string", number, [3], [b"a", b"", "\u00e4".encode()]))
            continue
        for dims in ([], [3], [2, 5], [0, 4]):
            count = int(np.prod(dims))
            tensor = TensorProto(name=f"{name}_{len(dims)}_{count}", data_type=number, dims=dims)
            values = [(7 * i) % 2 if number == TensorProto.BOOL else (3 * i + 1) % 100 for i in range(count)]
            bits = BITS.get(number)
            if bits:
                values = [(5 * i + 1) % 100 for i in range(-(-count * bits // 8))]
            if bits == 6:  # one a number
                values = [(5 * i + 1) % 64 for i in range(count)]
            if number in (TensorProto.FLOAT, TensorProto.COMPLEX64):
                tensor.float_data.extend(values * (2 if number == TensorProto.COMPLEX64 else 1))
            elif number in (TensorProto.DOUBLE, TensorProto.COMPLEX128):
                tensor.double_data.extend(values * (2 if number == TensorProto.COMPLEX128 else 1))
            elif number == TensorProto.INT64:
                tensor.int64_data.extend([-value for value in values])
            elif number in (TensorProto.UINT32, TensorProto.UINT64):
                tensor.uint64_data.extend(values)
            elif number in (TensorProto.INT8, TensorProto.INT16, TensorProto.INT32):
                tensor.int32_data.extend([-value for value in values])
            else:
                tensor.int32_data.extend(values)
            tensors.append(tensor)
            array = numpy_helper.to_array(tensor)
            raw = TensorProto(name=tensor.name + "_raw", data_type=number, dims=dims)
            raw.raw_data = pack(array, bits) if bits else array.tobytes()
            tensors.append(raw)
    return tensors


def test_every_element_type_in_every_form(tmp_path):
    graph = helper.make_graph([], "forms", [], [], make_tensor_forms())
    sparse = helper.make_sparse_tensor(
        helper.make_tensor("sparse", TensorProto.FLOAT, [2], [1.5, -2.0]),
        helper.make_tensor("", TensorProto.INT64, [2, 2], [0, 1, 2, 0]),
        [3, 2],
    )
    graph.sparse_initializer.append(sparse)
    path = tmp_path / "forms.onnx"
    path.write_bytes(helper.make_model(graph).SerializeToString())
    compare([path], tmp_path)


def test_external_data(tmp_path):
    rng = np.random.default_rng(0)
    tensors = [
        numpy_helper.from_array(rng.integers(0, 100, shape).astype(dtype), f"t{i}")
        for i, (shape, dtype) in enumerate([((3, 5), "f4"), ((7,), "u1"), ((2, 2), "f8"), ((0,), "f4"), ((9,), "i2")])
    ]
    graph = helper.make_graph([], "external", [], [], tensors)
    path = tmp_path / "model.onnx"
    onnx.save_model(
        helper.make_model(graph), path, save_as_external_data=True, location="weights.bin", size_threshold=0
    )
    assert (tmp_path / "weights.bin").stat().st_size > 0
    compare([path], tmp_path)
