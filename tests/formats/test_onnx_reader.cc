// The ONNX reader: graphs, names, scopes, functions, types, and what it says of broken files.
#include <chrono>
#include <cstdio>
#include <fstream>

#include "tests/formats/onnx_reading.h"

namespace opgraft::test {
namespace {

using namespace opgraft::formats::onnx;  // the tables of field numbers

const Message kFloatType = tensor_type(1, {"N", "3"});

TEST(OnnxReader, reads_a_plain_model) {
  const auto model = read(Message(
      opgraft::test::model(graph({node("Foo", {"x", "", "w"}, {"y", ""}, "n1").text(NodeProto::kDomain, "com.examples"),
                                  node("Relu", {"y"}, {"z"})},
                                 {value("x", kFloatType)}, {value("z", kFloatType)}, {float_tensor("w", {2}, {1, 2})}))
          .text(ModelProto::kProducerName, "maker")
          .message(ModelProto::kOpsetImport, opset("com.examples", 3))));
  EXPECT_EQ(model->format, "onnx");
  EXPECT_EQ(model->source, "m.onnx");
  EXPECT_EQ(model->producer_name, "maker");
  EXPECT_EQ(model->ir_version, 10);
  ASSERT_EQ(model->graph.nodes.size(), 2u);
  const ir::Node& foo = *model->graph.nodes[0];
  EXPECT_EQ(foo.describe(), "graph: node \"n1\" (com.examples::Foo)");
  EXPECT_EQ(foo.version, 3);
  ASSERT_EQ(foo.inputs.size(), 3u);
  EXPECT_EQ(foo.inputs[1], nullptr);
  EXPECT_EQ(foo.outputs[1], nullptr);
  EXPECT_EQ(foo.inputs[2]->constant->as<float>()[1], 2.f);
  EXPECT_EQ(foo.outputs[0]->producer, &foo);
  const ir::Node& relu = *model->graph.nodes[1];
  EXPECT_EQ(relu.name, "Relu#1");
  EXPECT_EQ(relu.version, 17);
  EXPECT_EQ(ir::to_string(model->graph.inputs[0]->type, &model->symbols), "tensor(float)[N,3]");
  EXPECT_TRUE(model->graph.outputs[0]->type == model->graph.inputs[0]->type);
}

TEST(OnnxReader, a_domain_that_is_not_imported_has_version_0) {
  const auto model = read(opgraft::test::model(graph({node("A", {}, {"y"}).text(NodeProto::kDomain, "com.other"),
                                                      node("B", {}, {"z"}).text(NodeProto::kDomain, "ai.onnx")},
                                                     {}, {value("y")})));
  EXPECT_EQ(model->graph.nodes[0]->version, 0);
  EXPECT_EQ(model->graph.nodes[1]->domain, "");
  EXPECT_EQ(model->graph.nodes[1]->version, 17);
}

TEST(OnnxReader, an_initializer_that_is_an_input_is_its_default) {
  const auto model = read(opgraft::test::model(graph({node("Relu", {"w"}, {"y"})}, {value("w", tensor_type(1, {"N"}))},
                                                     {value("y")}, {float_tensor("w", {2}, {1, 2})}),
                                               3));
  const ir::Value* input = model->graph.inputs[0];
  EXPECT_TRUE(input->is_input);
  ASSERT_TRUE(input->constant);
  EXPECT_EQ(input->type.dims.size(), 1u);
  EXPECT_TRUE(ir::is_symbol(input->type.dims[0]));
}

TEST(OnnxReader, an_initializer_that_contradicts_its_input_is_an_error) {
  const Failure found = failure(
      opgraft::test::model(graph({}, {value("w", tensor_type(7, {"2"}))}, {}, {float_tensor("w", {2}, {1, 2})})));
  expect_contains(found.text, "graph input \"w\" and the initializer of that name");
}

TEST(OnnxReader, attributes_of_every_kind) {
  Message target = node("Foo", {}, {"y"});
  const auto add = [&](const Message& entry) { target.message(NodeProto::kAttribute, entry); };
  add(attribute("i", OG_ATTR_INT).number(AttributeProto::kI, -5));
  add(attribute("zero", OG_ATTR_INT));
  add(attribute("f", OG_ATTR_FLOAT).real(AttributeProto::kF, 2.5f));
  add(attribute("s", OG_ATTR_STRING).text(AttributeProto::kS, "text"));
  add(attribute("ints", OG_ATTR_INTS).packed(AttributeProto::kInts, {1, -2}).number(AttributeProto::kInts, 3));
  add(attribute("floats", OG_ATTR_FLOATS)
          .text(AttributeProto::kFloats, bytes_of<float>({1, 2}))
          .real(AttributeProto::kFloats, 3));
  add(attribute("strings", OG_ATTR_STRINGS).text(AttributeProto::kStrings, "a").text(AttributeProto::kStrings, ""));
  add(attribute("t", OG_ATTR_TENSOR).message(AttributeProto::kT, float_tensor("", {}, {7})));
  add(attribute("ts", OG_ATTR_TENSORS).message(AttributeProto::kTensors, float_tensor("", {}, {7})));
  add(attribute("g", OG_ATTR_GRAPH).message(AttributeProto::kG, graph({}, {}, {})));
  add(attribute("gs", OG_ATTR_GRAPHS).message(AttributeProto::kGraphs, graph({}, {}, {})));
  add(attribute("tp", OG_ATTR_TYPE).message(AttributeProto::kTp, kFloatType));
  add(attribute("tps", OG_ATTR_TYPES).message(AttributeProto::kTypeProtos, kFloatType));
  add(Message().text(AttributeProto::kName, "old").number(AttributeProto::kI, 4));
  const auto model = read(opgraft::test::model(graph({target}, {}, {value("y")})));
  const ir::Node& foo = *model->graph.nodes[0];
  ASSERT_EQ(foo.attributes.size(), 14u);
  EXPECT_EQ(foo.find("i")->ints, std::vector<int64_t>{-5});
  EXPECT_EQ(foo.find("zero")->ints, std::vector<int64_t>{0});
  EXPECT_EQ(foo.find("f")->floats, std::vector<float>{2.5f});
  EXPECT_EQ(foo.find("s")->strings, std::vector<std::string>{"text"});
  EXPECT_EQ(foo.find("ints")->ints, (std::vector<int64_t>{1, -2, 3}));
  EXPECT_EQ(foo.find("floats")->floats, (std::vector<float>{1, 2, 3}));
  EXPECT_EQ(foo.find("strings")->strings, (std::vector<std::string>{"a", ""}));
  EXPECT_EQ(foo.find("t")->tensors[0]->as<float>()[0], 7.f);
  EXPECT_EQ(foo.find("ts")->kind, OG_ATTR_TENSORS);
  EXPECT_EQ(foo.find("g")->graphs.size(), 1u);
  EXPECT_EQ(foo.find("gs")->graphs.size(), 1u);
  EXPECT_EQ(foo.find("tp")->types[0].dtype, f32);
  EXPECT_EQ(foo.find("tps")->types.size(), 1u);
  EXPECT_EQ(foo.find("old")->kind, OG_ATTR_INT);
}

TEST(OnnxReader, broken_attributes) {
  const auto text = [](const Message& entry) {
    return failure(
               opgraft::test::model(graph({node("Foo", {}, {"y"}, "n").message(NodeProto::kAttribute, entry)}, {}, {})))
        .text;
  };
  expect_contains(text(attribute("a", 77)), "graph: node \"n\" (Foo): attribute \"a\": its kind 77 does not exist");
  expect_contains(text(attribute("a", OG_ATTR_TENSOR)), "its kind is tensor, but it holds 0 of them");
  expect_contains(text(Message().number(AttributeProto::kI, 1)), "unnamed attribute at byte");
  expect_contains(text(Message().text(AttributeProto::kName, "a")), "it has neither a kind nor a value");
  expect_contains(text(attribute("a", OG_ATTR_INT).text(AttributeProto::kRefAttrName, "b")), "stands in no function");
  expect_contains(text(attribute("a", OG_ATTR_FLOATS).text(AttributeProto::kFloats, "abc")),
                  "in the middle of a number");
}

TEST(OnnxReader, subgraphs_capture_outer_values) {
  // Outer: input x, constant w. The branches use x and w; one of them in a second level.
  const Message deep = graph({node("Add", {"x", "w"}, {"d"})}, {}, {value("d")});
  const Message then_branch =
      graph({node("If", {"c2"}, {"t"}, "inner").message(NodeProto::kAttribute, graph_attribute("then_branch", deep)),
             node("Not", {"c"}, {"c2"})},
            {}, {value("t")});
  const Message else_branch = graph({}, {}, {value("x")});
  const auto model = read(
      opgraft::test::model(graph({node("If", {"c"}, {"y"}, "outer")
                                      .message(NodeProto::kAttribute, graph_attribute("then_branch", then_branch))
                                      .message(NodeProto::kAttribute, graph_attribute("else_branch", else_branch))},
                                 {value("c"), value("x", kFloatType)}, {value("y")}, {float_tensor("w", {}, {1})})));
  const ir::Node& outer = *model->graph.nodes[0];
  EXPECT_EQ(outer.explicit_inputs(), 1);
  EXPECT_EQ(outer.capture_count, 3);  // x, w, and c again
  const auto captured = [&](const ir::Node& node, const ir::Capture& capture) {
    return node.inputs.at(static_cast<size_t>(node.explicit_inputs() + capture.index));
  };
  const ir::Graph& branch = *outer.find("then_branch")->graphs[0];
  ASSERT_EQ(branch.captures.size(), 3u);
  for (const auto& capture : branch.captures) {
    EXPECT_TRUE(capture.inner->is_capture);
    EXPECT_EQ(capture.inner->name, captured(outer, capture)->name);
  }
  ASSERT_EQ(branch.nodes.size(), 2u);
  EXPECT_EQ(branch.nodes[0]->op_type, "Not");  // sorted
  const ir::Node& inner = *branch.nodes[1];
  EXPECT_EQ(inner.path, "graph/outer/then_branch");
  EXPECT_EQ(inner.capture_count, 2);
  const ir::Graph& deepest = *inner.find("then_branch")->graphs[0];
  ASSERT_EQ(deepest.captures.size(), 2u);
  EXPECT_EQ(deepest.nodes[0]->path, "graph/outer/then_branch/inner/then_branch");
  for (const auto& capture : deepest.captures) {
    EXPECT_TRUE(captured(inner, capture)->is_capture);
    EXPECT_EQ(capture.inner->constant != nullptr, capture.inner->name == "w");
  }
  const ir::Graph& other = *outer.find("else_branch")->graphs[0];
  ASSERT_EQ(other.outputs.size(), 1u);
  EXPECT_TRUE(other.outputs[0]->is_capture);
  EXPECT_EQ(captured(outer, other.captures[0]), model->graph.inputs[1]);
  EXPECT_EQ(ir::to_string(other.outputs[0]->type, &model->symbols), "tensor(float)[N,3]");
}

TEST(OnnxReader, a_default_that_a_feed_may_replace_is_no_constant_inside) {
  const Message body = graph({node("Relu", {"w"}, {"b"})}, {}, {value("b")});
  const auto model = read(opgraft::test::model(
      graph({node("If", {"c"}, {"y"}).message(NodeProto::kAttribute, graph_attribute("then_branch", body))},
            {value("c"), value("w")}, {value("y")}, {float_tensor("w", {}, {1})})));
  const ir::Graph& inner = *model->graph.nodes[0]->find("then_branch")->graphs[0];
  EXPECT_EQ(inner.captures[0].inner->constant, nullptr);
}

TEST(OnnxReader, an_inner_name_hides_the_outer_one_from_its_definition_on) {
  const Message body =
      graph({node("First", {"x"}, {"a"}), node("Second", {"a"}, {"x"}), node("Third", {"x"}, {"b"})}, {}, {value("b")});
  const auto model = read(opgraft::test::model(
      graph({node("If", {"c"}, {"y"}).message(NodeProto::kAttribute, graph_attribute("then_branch", body))},
            {value("c"), value("x")}, {value("y")})));
  const ir::Graph& inner = *model->graph.nodes[0]->find("then_branch")->graphs[0];
  EXPECT_TRUE(inner.nodes[0]->inputs[0]->is_capture);
  EXPECT_EQ(inner.nodes[2]->inputs[0], inner.nodes[1]->outputs[0]);
  EXPECT_EQ(inner.captures.size(), 1u);
}

TEST(OnnxReader, nodes_in_the_wrong_order_are_sorted) {
  const auto model = read(opgraft::test::model(
      graph({node("C", {"b"}, {"c"}), node("B", {"a"}, {"b"}), node("A", {"x"}, {"a"})}, {value("x")}, {value("c")})));
  EXPECT_EQ(model->graph.nodes[0]->op_type, "A");
  EXPECT_EQ(model->graph.nodes[1]->op_type, "B");
  EXPECT_EQ(model->graph.nodes[2]->op_type, "C");
}

TEST(OnnxReader, a_subgraph_that_uses_a_later_value_moves_its_node) {
  const Message body = graph({node("Relu", {"late"}, {"b"})}, {}, {value("b")});
  const auto model = read(opgraft::test::model(
      graph({node("If", {"c"}, {"y"}).message(NodeProto::kAttribute, graph_attribute("then_branch", body)),
             node("Late", {"c"}, {"late"})},
            {value("c")}, {value("y")})));
  EXPECT_EQ(model->graph.nodes[0]->op_type, "Late");
}

TEST(OnnxReader, cycles_are_named) {
  const Failure found =
      failure(opgraft::test::model(graph({node("A", {"c"}, {"a"}, "na"), node("B", {"a"}, {"b"}, "nb"),
                                          node("C", {"b"}, {"c"}, "nc"), node("D", {"a"}, {"d"}, "nd")},
                                         {}, {value("d")})));
  expect_contains(found.text,
                  "m.onnx: graph: the nodes form a cycle: node \"na\", which needs \"nc\", which needs \"nb\"");
  expect_contains(failure(opgraft::test::model(graph({node("A", {"a"}, {"a"}, "na")}, {}, {value("a")}))).text,
                  "node \"na\" needs its own output");
}

TEST(OnnxReader, names_used_twice_are_told_with_both_places) {
  expect_contains(
      failure(opgraft::test::model(graph({node("A", {}, {"y"}, "n1"), node("B", {}, {"y"}, "n2")}, {}, {value("y")})))
          .text,
      "value name \"y\" is used twice in one graph: an output of node \"n1\" (A), and an output of node \"n2\" (B)");
  expect_contains(failure(opgraft::test::model(graph({node("A", {}, {"y"}, "n1")}, {value("y")}, {value("y")}))).text,
                  "a graph input, and an output of node \"n1\" (A)");
  expect_contains(
      failure(opgraft::test::model(graph({}, {}, {}, {float_tensor("w", {}, {1}), float_tensor("w", {}, {1})}))).text,
      "an initializer, and an initializer");
}

TEST(OnnxReader, all_problems_come_in_one_error) {
  const Failure found = failure(opgraft::test::model(
      graph({node("A", {"nowhere"}, {"a"}, "n1"), node("", {}, {"b"}, "n2"), node("C", {"missing"}, {"c"}, "n3")}, {},
            {value("lost")})));
  expect_contains(found.text, "node \"n2\": it has no operator");
  // Names are not complained of while definitions are missing.
  EXPECT_EQ(found.text.find("nowhere"), std::string::npos);
  const Failure names = failure(opgraft::test::model(
      graph({node("A", {"nowhere"}, {"a"}, "n1"), node("C", {"missing"}, {"c"}, "n3")}, {}, {value("lost")})));
  expect_contains(names.text, "m.onnx: 3 problems:\n  - graph: node \"n1\" (A): input 0 is \"nowhere\"");
  expect_contains(names.text, "\n  - graph: node \"n3\" (C): input 0 is \"missing\"");
  expect_contains(names.text, "\n  - graph: graph output \"lost\" is not produced");
  std::vector<Message> many(1000, node("A", {"nowhere"}, {}));
  expect_contains(failure(opgraft::test::model(graph(many, {}, {}))).text, "50 problems");
}

TEST(OnnxReader, functions_with_references_and_defaults) {
  const Message function =
      Message()
          .text(FunctionProto::kName, "F")
          .text(FunctionProto::kDomain, "com.x")
          .text(FunctionProto::kOverload, "o")
          .text(FunctionProto::kInput, "p")
          .text(FunctionProto::kOutput, "q")
          .text(FunctionProto::kAttribute, "alpha")
          .message(FunctionProto::kAttributeProto, attribute("beta", OG_ATTR_FLOAT).real(AttributeProto::kF, 0.5f))
          .message(FunctionProto::kNode,
                   node("Elu", {"p"}, {"q"}, "e")
                       .message(NodeProto::kAttribute,
                                attribute("alpha", OG_ATTR_FLOAT).text(AttributeProto::kRefAttrName, "alpha")))
          .message(FunctionProto::kOpsetImport, opset("", 12))
          .message(FunctionProto::kValueInfo, value("q", kFloatType));
  const Message call = node("F", {"x"}, {"y"}, "n").text(NodeProto::kDomain, "com.x").text(NodeProto::kOverload, "o");
  const auto model = read(Message(opgraft::test::model(graph({call}, {value("x")}, {value("y")})))
                              .message(ModelProto::kOpsetImport, opset("com.x", 1))
                              .message(ModelProto::kFunctions, function));
  ASSERT_EQ(model->functions.size(), 1u);
  const ir::Function& found = model->functions[0];
  EXPECT_EQ(found.domain + "::" + found.name + ":" + found.overload, "com.x::F:o");
  EXPECT_EQ(found.attributes, std::vector<std::string>{"alpha"});
  EXPECT_EQ(found.defaults[0].floats, std::vector<float>{0.5f});
  const ir::Node& elu = *found.body.nodes[0];
  EXPECT_EQ(elu.version, 12);
  EXPECT_EQ(elu.path, "function com.x::F");
  EXPECT_EQ(elu.attributes[0].reference, "alpha");
  EXPECT_EQ(elu.attributes[0].kind, OG_ATTR_FLOAT);
  EXPECT_EQ(found.body.outputs[0]->type.dtype, f32);
  EXPECT_EQ(model->graph.nodes[0]->overload, "o");
  expect_contains(failure(Message(opgraft::test::model(graph({}, {}, {})))
                              .message(ModelProto::kFunctions, function)
                              .message(ModelProto::kFunctions, function))
                      .text,
                  "function \"com.x::F:o\" is there twice");
}

TEST(OnnxReader, types_of_every_kind) {
  const Message tensor_of_strings = tensor_type(8, {"", "-1"});
  const Message sequence =
      Message().message(TypeProto::kSequenceType, Message().message(TypeProto_Sequence::kElemType, kFloatType));
  const Message optional =
      Message().message(TypeProto::kOptionalType, Message().message(TypeProto_Optional::kElemType, sequence));
  const Message map = Message().message(
      TypeProto::kMapType, Message().number(TypeProto_Map::kKeyType, 7).message(TypeProto_Map::kValueType, kFloatType));
  const auto model = read(opgraft::test::model(graph(
      {}, {value("s", tensor_of_strings), value("q", sequence), value("o", optional), value("m", map), value("none")},
      {})));
  const auto& inputs = model->graph.inputs;
  EXPECT_EQ(inputs[0]->type.kind, OG_STRINGS);
  EXPECT_TRUE(ir::is_unknown(inputs[0]->type.dims[0]));
  EXPECT_TRUE(ir::is_unknown(inputs[0]->type.dims[1]));
  EXPECT_EQ(ir::to_string(inputs[1]->type), "seq(tensor(float))");
  EXPECT_EQ(ir::to_string(inputs[2]->type), "optional(seq(tensor(float)))");
  EXPECT_EQ(ir::to_string(inputs[3]->type), "map(int64,tensor(float))");
  EXPECT_FALSE(inputs[4]->type.known());
}

TEST(OnnxReader, broken_types) {
  const auto text = [](const Message& type) {
    return failure(opgraft::test::model(graph({}, {value("x", type)}, {}))).text;
  };
  expect_contains(text(tensor_type(99, {})), "type of value \"x\": element type 99 does not exist");
  expect_contains(text(tensor_type(1, {"4611686018427387904", "4611686018427387904"})), "too large");
  expect_contains(text(Message().message(TypeProto::kSequenceType, Message())), "does not say of what");
  Message deep = kFloatType;
  for (int i = 0; i < 100; ++i)
    deep = Message().message(TypeProto::kSequenceType, Message().message(TypeProto_Sequence::kElemType, deep));
  expect_contains(text(deep), "nested more than 64 deep");
}

TEST(OnnxReader, limits) {
  Message nested = graph({}, {}, {});
  for (int i = 0; i < 100; ++i)
    nested = graph({node("If", {}, {}).message(NodeProto::kAttribute, graph_attribute("g", nested))}, {}, {});
  const Failure deep = failure(opgraft::test::model(nested));
  EXPECT_EQ(deep.code, ErrorCode::kLimit);
  expect_contains(deep.text, "graphs are nested more than 64 deep");
  formats::ReadLimits limits;
  limits.max_nodes = 10;
  const Message wide = opgraft::test::model(graph(std::vector<Message>(11, node("A", {}, {})), {}, {}));
  EXPECT_EQ(failure(wide, limits).code, ErrorCode::kLimit);
  limits = {};
  limits.max_converted_bytes = 1000;
  expect_contains(failure(wide, limits).text, "raise the limit on converted bytes");
  limits = {};
  limits.max_file_bytes = 10;
  expect_contains(failure(wide, limits).text, "the limit is 10");
}

TEST(OnnxReader, small_files_that_want_much_memory_end_at_a_limit) {
  Message nodes;
  for (int i = 0; i < 2000000; ++i) nodes.raw(std::string("\x0a\x00", 2));
  EXPECT_EQ(failure(opgraft::test::model(nodes)).code, ErrorCode::kLimit);
  // A name captured through many levels is a value in each.
  Message nested;
  std::vector<Message> inputs;
  std::vector<std::string> names;
  for (int i = 0; i < 20000; ++i) {
    names.push_back("v" + std::to_string(i));
    inputs.push_back(value(names.back()));
  }
  nested = graph({node("A", names, {})}, {}, {});
  for (int i = 0; i < 60; ++i)
    nested = graph({node("If", {}, {}).message(NodeProto::kAttribute, graph_attribute("g", nested))}, {}, {});
  for (const auto& input : inputs) nested.message(GraphProto::kInput, input);
  const Failure found = failure(opgraft::test::model(nested));
  EXPECT_EQ(found.code, ErrorCode::kLimit);
  expect_contains(found.text, "raise the limit on structure");
}

TEST(OnnxReader, names_must_be_text) {
  expect_contains(failure(opgraft::test::model(graph({node("A", {}, {"\xff\xfe"}, "n")}, {}, {}))).text,
                  "value name \"\\xff\\xfe\" is not UTF-8 text");
  // Free text may be anything.
  EXPECT_EQ(read(opgraft::test::model(graph({}, {}, {})).text(ModelProto::kDocString, "a\xff"))->doc, "a\xef\xbf\xbd");
}

TEST(OnnxReader, opset_imports) {
  const Message empty = graph({node("A", {}, {})}, {}, {});
  const auto bare = Message().number(ModelProto::kIrVersion, 2).message(ModelProto::kGraph, empty);
  EXPECT_EQ(read(bare)->graph.nodes[0]->version, 1);
  const auto later = Message().number(ModelProto::kIrVersion, 8).message(ModelProto::kGraph, empty);
  EXPECT_EQ(read(later)->graph.nodes[0]->version, 0);
  expect_contains(
      failure(Message(opgraft::test::model(empty)).message(ModelProto::kOpsetImport, opset("ai.onnx", 9))).text,
      "domain \"ai.onnx\" is imported as version 17 and as 9");
  expect_contains(failure(Message(opgraft::test::model(empty)).message(ModelProto::kOpsetImport, opset("d", -1))).text,
                  "version -1 of domain \"d\" does not exist");
}

TEST(OnnxReader, damaged_files_are_told_with_the_place) {
  const std::string whole = opgraft::test::model(graph({node("A", {"x"}, {"y"})}, {value("x")}, {value("y")})).bytes();
  expect_contains(failure(Message().raw(whole.substr(0, whole.size() / 2))).text, "m.onnx: at byte 2: field 7 wants");
  for (size_t size = 0; size < whole.size(); ++size) {
    try {
      read(Message().raw(whole.substr(0, size)));
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kInvalidModel) << error.what();
    }
  }
  const Message broken_node = Message().raw("\x0a\x7f");
  expect_contains(failure(opgraft::test::model(graph({broken_node}, {}, {}))).text, "graph: node \"#0\": at byte");
}

TEST(OnnxReader, other_files_are_recognised) {
  const auto text = [](const std::string& bytes) { return failure(Message().raw(bytes)).text; };
  expect_contains(text(""), "it is empty (0 bytes)");
  expect_contains(text(std::string("PK\x03\x04", 4) + std::string(40, 'x')), "it looks like a ZIP archive");
  expect_contains(text(std::string("\x1c\0\0\0TFL3", 8) + std::string(40, '\0')), "a TensorFlow Lite model");
  expect_contains(text("version https://git-lfs.github.com/spec/v1\n"), "a Git LFS pointer");
  expect_contains(text("<!DOCTYPE html>"), "an HTML or XML page");
  expect_contains(text("{\"a\": 1}"), "JSON text");
  expect_contains(text("ir_version: 7\ngraph {}"), "it looks like text");
  expect_contains(text(std::string(100, '\0')), "zeros");
  expect_contains(text("\x89HDF\r\n\x1a\n"), "an HDF5 file");
  expect_contains(text(Message().number(ModelProto::kIrVersion, 7).bytes()),
                  "it is not an ONNX model: it has no graph");
}

TEST(OnnxReader, paths_that_are_no_model) {
  const Failure missing = file_failure("/nonexistent/m.onnx");
  EXPECT_EQ(missing.code, ErrorCode::kNotFound);
  expect_contains(missing.text, "/nonexistent/m.onnx: there is no such file");
  expect_contains(file_failure("/tmp").text, "/tmp: it is a folder");
  expect_contains(file_failure("/dev/null").text, "/dev/null: it is not a regular file");
  expect_contains(file_failure("").text, "the path of the file is empty");
}

TEST(OnnxReader, large_graphs_are_read_in_linear_time) {
  const auto seconds = [](bool reversed) {
    std::vector<Message> nodes;
    constexpr int kCount = 100000;
    for (int i = 0; i < kCount; ++i) {
      const int n = reversed ? kCount - 1 - i : i;
      nodes.push_back(node("A", {"v" + std::to_string(n)}, {"v" + std::to_string(n + 1)}, "n" + std::to_string(n)));
    }
    const Message message = opgraft::test::model(graph(nodes, {value("v0")}, {value("v" + std::to_string(kCount))}));
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(read(message)->graph.nodes.back()->name, "n" + std::to_string(kCount - 1));
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  EXPECT_LT(seconds(false), 5);
  EXPECT_LT(seconds(true), 5);
}

}  // namespace
}  // namespace opgraft::test
