// Tensors of ONNX files: forms of storage, sizes, external data, sparse tensors, and the errors of each.
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/formats/onnx_reading.h"

namespace opgraft::test {
namespace {

using namespace opgraft::formats::onnx;  // the tables of field numbers

Message with_tensor(const Message& tensor) { return opgraft::test::model(graph({}, {}, {}, {tensor})); }

std::shared_ptr<const ir::Tensor> read_one(const Message& tensor) {
  return read(with_tensor(tensor))->graph.values.at(0)->constant;
}

std::string error_of(const Message& tensor) { return failure(with_tensor(tensor)).text; }

std::vector<int> bytes_of_tensor(const ir::Tensor& tensor) {
  const auto* bytes = static_cast<const unsigned char*>(tensor.data);
  return std::vector<int>(bytes, bytes + tensor.bytes);
}

TEST(OnnxTensors, raw_data_is_not_copied_when_aligned) {
  // The padding of the name moves the data to each alignment in turn.
  int shared = 0;
  for (int padding = 0; padding < 4; ++padding) {
    const Message message =
        with_tensor(float_tensor("w" + std::string(static_cast<size_t>(padding), 'x'), {2}, {1, 2}));
    const auto owner = std::make_shared<const std::string>(message.bytes());
    const auto model = formats::read_onnx_bytes(owner, owner->data(), owner->size(), "m.onnx");
    const auto& tensor = *model->graph.values[0]->constant;
    EXPECT_EQ(tensor.as<float>()[1], 2.f);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor.data) % 4, 0u);
    const auto* data = static_cast<const char*>(tensor.data);
    shared += data >= owner->data() && data < owner->data() + owner->size();
    const auto copied = formats::read_onnx_bytes(nullptr, owner->data(), owner->size(), "m.onnx");
    const auto* other = static_cast<const char*>(copied->graph.values[0]->constant->data);
    EXPECT_FALSE(other >= owner->data() && other < owner->data() + owner->size());
  }
  EXPECT_EQ(shared, 1);
}

TEST(OnnxTensors, number_fields_packed_and_unpacked) {
  EXPECT_EQ(read_one(tensor("w", i64, {3}).packed(TensorProto::kInt64Data, {1, -2, 3}))->as<int64_t>()[1], -2);
  EXPECT_EQ(read_one(tensor("w", i64, {3}).numbers(TensorProto::kInt64Data, {1, -2, 3}))->as<int64_t>()[1], -2);
  EXPECT_EQ(
      read_one(tensor("w", f32, {2}).real(TensorProto::kFloatData, 1).real(TensorProto::kFloatData, 2))->as<float>()[1],
      2);
  EXPECT_EQ(read_one(tensor("w", f32, {2}).text(TensorProto::kFloatData, bytes_of<float>({1, 2})))->as<float>()[1], 2);
  EXPECT_EQ(read_one(tensor("w", f64, {1}).text(TensorProto::kDoubleData, bytes_of<double>({2})))->as<double>()[0], 2);
  EXPECT_EQ(read_one(tensor("w", u32, {1}).packed(TensorProto::kUint64Data, {4294967295}))->as<uint32_t>()[0],
            4294967295u);
  EXPECT_EQ(read_one(tensor("w", u64, {1}).packed(TensorProto::kUint64Data, {-1}))->as<uint64_t>()[0], UINT64_MAX);
  EXPECT_EQ(read_one(tensor("w", i8, {2}).packed(TensorProto::kInt32Data, {-1, 5}))->as<int8_t>()[0], -1);
  EXPECT_EQ(read_one(tensor("w", f16, {1}).packed(TensorProto::kInt32Data, {0x3c00}))->as<uint16_t>()[0], 0x3c00);
  EXPECT_EQ(bytes_of_tensor(*read_one(tensor("w", boolean, {3}).packed(TensorProto::kInt32Data, {0, 7, 1}))),
            (std::vector<int>{0, 1, 1}));
  EXPECT_EQ(bytes_of_tensor(*read_one(tensor("w", i4, {3}).packed(TensorProto::kInt32Data, {0x21, 0x03}))),
            (std::vector<int>{0x21, 0x03}));
  EXPECT_EQ(bytes_of_tensor(*read_one(tensor("w", u2, {5}).packed(TensorProto::kInt32Data, {0xe4, 0x01}))),
            (std::vector<int>{0xe4, 0x01}));
  const auto strings =
      read_one(tensor("w", str, {2}).text(TensorProto::kStringData, "a").text(TensorProto::kStringData, ""));
  EXPECT_EQ(strings->strings, (std::vector<std::string>{"a", ""}));
}

TEST(OnnxTensors, bools_other_than_0_and_1_are_made_so) {
  EXPECT_EQ(
      bytes_of_tensor(*read_one(tensor("w", boolean, {3}).text(TensorProto::kRawData, std::string("\x00\x02\xff", 3)))),
      (std::vector<int>{0, 1, 1}));
}

TEST(OnnxTensors, empty_and_scalar) {
  EXPECT_EQ(read_one(tensor("w", f32, {0, 3}))->numel(), 0);
  EXPECT_EQ(read_one(tensor("w", f32, {}).real(TensorProto::kFloatData, 3))->as<float>()[0], 3);
  EXPECT_EQ(read_one(tensor("w", str, {0}))->strings.size(), 0u);
}

TEST(OnnxTensors, sizes_that_do_not_fit) {
  expect_contains(error_of(float_tensor("w", {3}, {1, 2})),
                  "m.onnx: graph: tensor \"w\": raw_data has 8 bytes, dims [3] of type float want 12");
  expect_contains(error_of(tensor("w", f32, {3})), "it holds no data, dims [3] of type float want 12");
  expect_contains(error_of(tensor("w", i64, {3}).packed(TensorProto::kInt64Data, {1})),
                  "int64_data holds 1 entries, dims [3] of type int64 want 3");
  expect_contains(error_of(tensor("w", f32, {3}).real(TensorProto::kFloatData, 1)), "float_data holds 1 entries");
  expect_contains(error_of(tensor("w", str, {3}).text(TensorProto::kStringData, "a")), "string_data holds 1 entries");
  expect_contains(error_of(tensor("w", f32, {-1})), "dimension -1 is negative");
  expect_contains(error_of(tensor("w", f32, {INT64_MAX, INT64_MAX})), "too large for any memory");
  expect_contains(error_of(tensor("w", f32, {INT64_MAX, 0})), "too large for any memory");
  expect_contains(error_of(tensor("w", f32, {int64_t(1) << 50})), "more than the limit");
  expect_contains(error_of(tensor("w", f32, std::vector<int64_t>(65, 1))), "more than 64 dimensions");
  expect_contains(error_of(tensor("w", i8, {1}).packed(TensorProto::kInt32Data, {300})),
                  "int32_data holds 300, which is no value of its type");
  expect_contains(error_of(tensor("w", u32, {1}).packed(TensorProto::kUint64Data, {-1})), "no value of its type");
  expect_contains(error_of(tensor("w", i64, {1}).text(TensorProto::kInt64Data, "\x80")), "int64_data holds 0 entries");
}

TEST(OnnxTensors, contents_of_the_wrong_kind) {
  expect_contains(error_of(tensor("w", 0, {})), "it has no element type");
  expect_contains(error_of(tensor("w", 99, {})), "element type 99 does not exist");
  expect_contains(error_of(tensor("w", f16, {1}).real(TensorProto::kFloatData, 1)),
                  "it holds float_data, but type float16 keeps its values in int32_data or raw_data");
  expect_contains(error_of(tensor("w", str, {1}).text(TensorProto::kRawData, "a")),
                  "strings cannot be stored as raw_data");
  expect_contains(error_of(tensor("w", f32, {1}).text(TensorProto::kStringData, "a")),
                  "it holds string_data, but its type is float");
  expect_contains(error_of(float_tensor("w", {1}, {1}).real(TensorProto::kFloatData, 1)), "it is stored twice");
  expect_contains(error_of(float_tensor("w", {1}, {1}).message(TensorProto::kSegment, Message())),
                  "stored in segments");
  expect_contains(error_of(float_tensor("w", {1}, {1}).number(TensorProto::kDataLocation, 5)),
                  "data_location 5 does not exist");
  expect_contains(error_of(float_tensor("", {1}, {1})), "has no name");
}

Message sparse(const Message& values, const Message& indices, const std::vector<int64_t>& dims) {
  Message graph_message = graph({}, {}, {});
  graph_message.message(GraphProto::kSparseInitializer, Message()
                                                            .message(SparseTensorProto::kValues, values)
                                                            .message(SparseTensorProto::kIndices, indices)
                                                            .packed(SparseTensorProto::kDims, dims));
  return opgraft::test::model(graph_message);
}

TEST(OnnxTensors, sparse_tensors_become_dense) {
  const Message values = float_tensor("s", {2}, {5, 7});
  const auto linear = read(sparse(values, tensor("", i64, {2}).packed(TensorProto::kInt64Data, {1, 3}), {2, 2}));
  EXPECT_EQ(linear->graph.values[0]->name, "s");
  const auto* data = linear->graph.values[0]->constant->as<float>();
  EXPECT_EQ(std::vector<float>(data, data + 4), (std::vector<float>{0, 5, 0, 7}));
  const auto axes = read(sparse(values, tensor("", i64, {2, 2}).packed(TensorProto::kInt64Data, {0, 0, 1, 1}), {2, 2}));
  data = axes->graph.values[0]->constant->as<float>();
  EXPECT_EQ(std::vector<float>(data, data + 4), (std::vector<float>{5, 0, 0, 7}));
}

TEST(OnnxTensors, broken_sparse_tensors) {
  const Message values = float_tensor("s", {2}, {5, 7});
  const auto text = [&](const std::vector<int64_t>& indices, const std::vector<int64_t>& shape,
                        const std::vector<int64_t>& dims) {
    return failure(sparse(values, tensor("", i64, shape).packed(TensorProto::kInt64Data, indices), dims)).text;
  };
  expect_contains(text({1, 4}, {2}, {2, 2}), "sparse tensor \"s\": index 4 of value 1 is outside of 4 elements");
  expect_contains(text({1, -1}, {2}, {2, 2}), "index -1");
  expect_contains(text({3, 1}, {2}, {2, 2}), "not in ascending order");
  expect_contains(text({0, 0, 0, 2}, {2, 2}, {2, 2}), "index 2 of value 1 is outside of dim 2");
  expect_contains(text({0}, {1}, {2, 2}), "its indices are tensor(int64)[1]");
  expect_contains(text({0, 1}, {2}, {int64_t(1) << 60}), "too large");
  formats::ReadLimits limits;
  limits.max_dense_bytes = 1 << 20;
  EXPECT_EQ(
      failure(sparse(values, tensor("", i64, {2}).packed(TensorProto::kInt64Data, {0, 1}), {1 << 20}), limits).code,
      ErrorCode::kLimit);
}

// A folder that goes away with the test.
class ExternalData : public testing::Test {
 protected:
  ExternalData() {
    char name[] = "/tmp/opgraft_external_XXXXXX";
    root_ = mkdtemp(name);
    std::filesystem::create_directory(root_ + "/models");
    write("models/weights.bin", std::string(12, '\0') + bytes_of<float>({1, 2}));
    write("secret.bin", bytes_of<float>({1, 2}));
  }
  ~ExternalData() override { std::filesystem::remove_all(root_); }

  void write(const std::string& name, const std::string& bytes) const {
    std::ofstream(root_ + "/" + name, std::ios::binary) << bytes;
  }
  static Message external(const std::vector<std::pair<std::string, std::string>>& entries) {
    Message result = tensor("w", f32, {2}).number(TensorProto::kDataLocation, 1);
    for (const auto& [key, text] : entries)
      result.message(TensorProto::kExternalData,
                     Message().text(StringStringEntryProto::kKey, key).text(StringStringEntryProto::kValue, text));
    return with_tensor(result);
  }
  std::string error(const std::vector<std::pair<std::string, std::string>>& entries) const {
    write("models/m.onnx", external(entries).bytes());
    return file_failure(root_ + "/models/m.onnx").text;
  }
  std::string root_;
};

TEST_F(ExternalData, is_read_in_place) {
  write("models/m.onnx", external({{"location", "weights.bin"}, {"offset", "12"}, {"length", "8"}}).bytes());
  const auto model = formats::read_onnx_file(root_ + "/models/m.onnx");
  EXPECT_EQ(model->graph.values[0]->constant->as<float>()[1], 2.f);
  EXPECT_EQ(model->owners.size(), 2u);
  // Without a length it is what the dims want; a path without folder is relative to the working directory.
  write("models/m.onnx", external({{"location", "./weights.bin"}, {"offset", "12"}}).bytes());
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(root_ + "/models");
  EXPECT_EQ(formats::read_onnx_file("m.onnx")->graph.values[0]->constant->as<float>()[0], 1.f);
  std::filesystem::current_path(before);
}

TEST_F(ExternalData, outlives_the_model) {
  write("models/m.onnx", external({{"location", "weights.bin"}, {"offset", "12"}}).bytes());
  const auto tensor = formats::read_onnx_file(root_ + "/models/m.onnx")->graph.values[0]->constant;
  EXPECT_EQ(tensor->as<float>()[1], 2.f);
}

TEST_F(ExternalData, must_stay_below_the_folder_of_the_model) {
  expect_contains(error({{"location", "../secret.bin"}}), "leads out of a folder with \"..\"");
  expect_contains(error({{"location", "a/../weights.bin"}}), "leads out of a folder with \"..\"");
  expect_contains(error({{"location", root_ + "/secret.bin"}}), "is an absolute path");
  ASSERT_EQ(symlink("../secret.bin", (root_ + "/models/link.bin").c_str()), 0);
  expect_contains(error({{"location", "link.bin"}}), "is a link that leads out of the model's folder");
  std::filesystem::create_directory(root_ + "/models2");
  write("models2/other.bin", bytes_of<float>({1, 2}));
  ASSERT_EQ(symlink("../models2", (root_ + "/models/folder").c_str()), 0);
  expect_contains(error({{"location", "folder/other.bin"}}), "is a link that leads out");
  // A link within the folder is nobody's secret.
  ASSERT_EQ(symlink("weights.bin", (root_ + "/models/inside.bin").c_str()), 0);
  write("models/m.onnx", external({{"location", "inside.bin"}}).bytes());
  EXPECT_NO_THROW(formats::read_onnx_file(root_ + "/models/m.onnx"));
}

TEST_F(ExternalData, must_be_there_and_whole) {
  expect_contains(error({{"location", "none.bin"}}), "none.bin cannot be opened");
  expect_contains(error({{"location", "weights.bin"}, {"offset", "16"}}), "has only 20 bytes");
  expect_contains(error({{"location", "weights.bin"}, {"offset", "18446744073709551615"}}), "has only 20 bytes");
  expect_contains(error({{"location", "weights.bin"}, {"offset", "99999999999999999999"}}), "is not a number of bytes");
  expect_contains(error({{"location", "weights.bin"}, {"offset", "-1"}}), "is not a number of bytes");
  expect_contains(error({{"location", "weights.bin"}, {"length", "4"}}), "length 4, but dims and element type want 8");
  expect_contains(error({{"location", ""}}), "there is no location");
  expect_contains(error({}), "there is no location");
  expect_contains(error({{"location", std::string("a\0b", 3)}}), "is not a path");
  expect_contains(error({{"location", "."}}), "it is a folder");
  ASSERT_EQ(mkfifo((root_ + "/models/pipe").c_str(), 0600), 0);
  expect_contains(error({{"location", "pipe"}}), "it is not a regular file");
}

TEST_F(ExternalData, needs_a_file) {
  expect_contains(failure(external({{"location", "weights.bin"}})).text,
                  "the model was given as bytes: load it from its path, or save it without external data");
}

}  // namespace
}  // namespace opgraft::test
