// Models on which mutants once failed: each must give an error that says what is wrong.
#include <limits>

#include "runtime/session.h"
#include "tests/formats/onnx_reading.h"

namespace opgraft::test {
namespace {

using namespace opgraft::formats::onnx;  // the tables of field numbers

// The error of loading the model and running it once on zeros, with 2 for each dim that is not a number.
std::string error_of(const Message& message) {
  const auto bytes = std::make_shared<const std::string>(message.bytes());
  try {
    SessionOptions options;
    options.threads = 1;
    const auto model = Model::load_bytes(bytes, bytes->data(), bytes->size(), "m.onnx", options);
    std::vector<std::pair<std::string, RuntimeValue>> feeds;
    for (const auto& input : model->inputs()) {
      ir::Dims dims = input.type.dims;
      for (int64_t& dim : dims)
        if (ir::is_symbol(dim)) dim = 2;
      RuntimeValue value = RuntimeValue::allocate(input.type.dtype, dims);
      if (value.abi().bytes) std::memset(value.abi().tensor.data, 0, value.abi().bytes);
      feeds.emplace_back(input.name, value);
    }
    Session(model, options).run({}, feeds);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

Message integers(const std::string& name, const std::vector<int64_t>& values) {
  return tensor(name, i64, {static_cast<int64_t>(values.size())}).packed(TensorProto::kInt64Data, values);
}

TEST(FoundByMutants, an_omitted_value_reaches_a_node_of_a_loop) {
  const Message body = graph({node("Add", {"carried", "x"}, {"next"}), node("Identity", {"keep"}, {"keep_out"})},
                             {value("i", tensor_type(i64, {})), value("keep", tensor_type(boolean, {})),
                              value("carried", tensor_type(f32, {"N", "4", "N", "4"}))},
                             {value("keep_out"), value("next")});
  const Message loop =
      node("Loop", {"trips", "", ""}, {"y"}, "loop").message(NodeProto::kAttribute, graph_attribute("body", body));
  expect_contains(
      error_of(model(graph({loop}, {value("x", tensor_type(f32, {"N", "4"}))}, {value("y", tensor_type(f32, {}))},
                           {tensor("trips", i64, {}).packed(TensorProto::kInt64Data, {3})}))),
      "input 0 has no value");
}

TEST(FoundByMutants, windows_larger_than_any_input) {
  const auto convolution = [](const char* name, const std::vector<int64_t>& values) {
    const Message entry = attribute(name, OG_ATTR_INTS).packed(AttributeProto::kInts, values);
    return model(graph({node("Conv", {"x", "w"}, {"y"}, "conv").message(NodeProto::kAttribute, entry)},
                       {value("x", tensor_type(f32, {"1", "1", "4", "4"}))}, {value("y")},
                       {float_tensor("w", {1, 1, 1, 1}, {1})}));
  };
  constexpr int64_t kLargest = std::numeric_limits<int64_t>::max();
  expect_contains(error_of(convolution("pads", {kLargest, 1, 1, 1})), "at most 2147483647");
  expect_contains(error_of(convolution("strides", {kLargest, 1})), "at most 2147483647");
  expect_contains(error_of(convolution("dilations", {1, kLargest})), "at most 2147483647");
}

TEST(FoundByMutants, pads_larger_than_any_memory) {
  const auto padded = [](int64_t pad) {
    return model(graph({node("Pad", {"x", "pads"}, {"y"}, "pad")}, {value("x", tensor_type(f32, {"2"}))}, {value("y")},
                       {integers("pads", {pad, pad})}));
  };
  expect_contains(error_of(padded(std::numeric_limits<int64_t>::max())), "can be put or taken");
}

// The leak sanitizer sees it when the kernel's object is not freed.
TEST(FoundByMutants, a_kernel_that_cannot_pack_is_freed) {
  const Message sizes = attribute("kernel_shape", OG_ATTR_INTS).packed(AttributeProto::kInts, {3, 4});
  expect_contains(
      error_of(model(graph({node("Reshape", {"x", "dims"}, {"image"}),
                            node("Conv", {"image", "w"}, {"y"}, "conv").message(NodeProto::kAttribute, sizes)},
                           {value("x", tensor_type(f32, {"9"})), value("dims", tensor_type(i64, {"N"}))}, {value("y")},
                           {float_tensor("w", {1, 1, 1, 1}, {1})}))),
      "does not fit");
}

// Buffers outside the arena, strings among them, count as well; sizes in bits must not wrap.
TEST(FoundByMutants, tensors_larger_than_any_memory) {
  const auto expanded = [](dtype type, int64_t size) {
    return model(graph({node("Expand", {"x", "dims"}, {"y"}, "expand")}, {value("x", tensor_type(type, {"1"}))},
                       {value("y")}, {integers("dims", {size})}));
  };
  for (const dtype type : {str, f32, f64, boolean})
    for (const int64_t size : {int64_t(1) << 42, int64_t(1) << 59, int64_t(1) << 61})
      expect_contains(error_of(expanded(type, size)), "limit");
}

}  // namespace
}  // namespace opgraft::test
