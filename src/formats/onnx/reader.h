// Reads ONNX models into the intermediate representation; knows the file format and no operator.
#ifndef OPGRAFT_FORMATS_ONNX_READER_H_
#define OPGRAFT_FORMATS_ONNX_READER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "ir/graph.h"

namespace opgraft::formats {

// What a file may ask of this process; beyond it, reading ends with an Error of kind kLimit.
struct ReadLimits {
  int max_depth = 64;           // graphs in attributes, types in types
  int max_ndim = 64;            // dims of one tensor or type
  int64_t max_nodes = 1000000;  // all graphs together
  uint64_t max_file_bytes = UINT64_MAX;
  uint64_t max_tensor_bytes = uint64_t(1) << 40;
  // Memory that the model takes beyond the mapped file: nodes, names, converted or copied tensors.
  uint64_t max_converted_bytes = uint64_t(2) << 30;
  uint64_t max_structure_bytes = uint64_t(512) << 20;  // of it: nodes, values, names, attributes
  uint64_t max_dense_bytes = uint64_t(512) << 20;      // of it: sparse tensors, made dense
};

// The nodes of the result are foreign: operator names, domains ("ai.onnx" is written "") and attributes are those of
// the file, Node::version is the version that the file imports of the domain (0: it imports none). What the file leaves
// open is filled in as follows.
// - A node without a name is called "<operator>#<index in its graph>".
// - An initializer that is also a graph input stays an input with `constant` set: its default, which a feed may
// replace.
// - Sparse tensors become dense ones. Attributes of kind sparse tensor become kind tensor.
// - Nodes in the wrong order are sorted. Inside a subgraph a name means the inner value from its definition on, and the
//   outer one before. Captures of an outer constant carry the constant, unless a feed may replace it.
// - Weights point into the file when they are stored as raw bytes and suitably aligned, else they are copied.
// Throws Error: kNotFound, kInvalidArgument (not a file), kInvalidModel, kUnsupported, kLimit. Everything that is wrong
// with nodes and tensors is collected into one error (at most 50 entries).
std::unique_ptr<ir::Model> read_onnx_file(const std::string& path, const ReadLimits& limits = {});

// `owner` keeps the bytes alive as long as the model lives; without one, weights are copied. Data outside the model
// (external_data) is an error, since bytes have no folder.
std::unique_ptr<ir::Model> read_onnx_bytes(std::shared_ptr<const void> owner, const void* data, size_t size,
                                           const std::string& source_name, const ReadLimits& limits = {});

}  // namespace opgraft::formats
#endif  // OPGRAFT_FORMATS_ONNX_READER_H_
