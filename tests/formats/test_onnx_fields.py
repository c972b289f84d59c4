# Compares our table of ONNX field numbers with the descriptors of the onnx package.
import pathlib
import re

import onnx

HEADER = pathlib.Path(__file__).resolve().parents[2] / "src" / "formats" / "onnx" / "fields.h"
ATTRIBUTE_READER = HEADER.with_name("attribute_reader.cc")


def table() -> dict:
    text = re.sub(r"//.*", "", HEADER.read_text())
    result = {}
    for message, body in re.findall(r"namespace (\w+) \{\s*enum : uint32_t \{(.*?)\};", text, re.DOTALL):
        result[message] = {name: int(number) for name, number in re.findall(r"k(\w+) = (\d+)", body)}
    return result


def camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


def descriptor_of(message: str):
    outer, *inner = message.split("_")
    descriptor = getattr(onnx, outer).DESCRIPTOR
    for name in inner:
        descriptor = descriptor.nested_types_by_name[name]
    return descriptor


def test_numbers_are_those_of_the_onnx_package():
    messages = table()
    assert len(messages) > 15
    for message, fields in messages.items():
        known = {camel(field.name): field.number for field in descriptor_of(message).fields}
        for name, number in fields.items():
            assert known.get(name) == number, f"{message}.{name} is {number} here and {known.get(name)} in onnx"


def test_every_message_that_holds_data_is_read_whole():
    """Fields that the reader leaves out on purpose; a new field of the format must be looked at."""
    ignored = {
        "ModelProto": {"TrainingInfo", "Configuration"},
        "GraphProto": {"DocString", "QuantizationAnnotation", "MetadataProps"},
        "NodeProto": {"DocString", "MetadataProps", "DeviceConfigurations"},
        "AttributeProto": {"DocString"},
        "FunctionProto": {"DocString", "MetadataProps"},
        "ValueInfoProto": {"DocString", "MetadataProps"},
        "TensorProto": {"DocString", "MetadataProps"},
        "TypeProto": {"Denotation"},
        "TensorShapeProto_Dimension": {"Denotation"},
    }
    for message, fields in table().items():
        known = {camel(field.name) for field in descriptor_of(message).fields}
        left_out = known - set(fields)
        assert left_out == ignored.get(message, set()), f"{message}: {left_out}"


def test_attribute_kinds_and_element_types_are_those_of_the_onnx_package():
    root = HEADER.parents[3]
    abi = (root / "include" / "opgraft" / "abi.h").read_text()
    kinds = {name: int(number) for name, number in re.findall(r"OG_ATTR_(\w+) = (\d+)", abi)}
    renamed = {"TYPE": "TYPE_PROTO", "TYPES": "TYPE_PROTOS", "NONE": "UNDEFINED"}
    for name, number in kinds.items():
        if name != "REQUIRED":
            assert onnx.AttributeProto.AttributeType.Value(renamed.get(name, name)) == number
    sparse = re.findall(r"kSparseTensors? = (\d+)", ATTRIBUTE_READER.read_text())
    assert [int(number) for number in sparse] == [
        onnx.AttributeProto.SPARSE_TENSOR,
        onnx.AttributeProto.SPARSE_TENSORS,
    ]
    dtype = (root / "include" / "opgraft" / "dtype.h").read_text()
    body = re.search(r"kDtypes\[kDtypeCount\] = \{(.*?)\n\};", dtype, re.DOTALL).group(1)
    for number, name in enumerate(re.findall(r'\{"(\w+)"', body)):
        assert onnx.TensorProto.DataType.Value(name.upper()) == number
