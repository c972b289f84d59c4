// Types of values: kind, element type, and dims that are numbers or symbols (encoding of opgraft/abi.h).
#ifndef OPGRAFT_IR_TYPE_H_
#define OPGRAFT_IR_TYPE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "opgraft/abi.h"
#include "opgraft/dtype.h"

namespace opgraft::ir {

class Symbols;

using Dims = std::vector<int64_t>;

constexpr bool is_symbol(int64_t dim) { return dim <= OG_SYMBOL_BASE && dim > OG_SYMBOL_BASE - (int64_t(1) << 31); }
constexpr bool is_unknown(int64_t dim) { return dim == OG_UNKNOWN; }

struct Type {
  int32_t kind = OG_ABSENT;  // og_kind; OG_ABSENT = nothing known
  opgraft::dtype dtype = any;
  bool ranked = false;
  Dims dims;                            // when ranked
  std::shared_ptr<const Type> element;  // of a sequence, optional, or map value

  bool known() const { return kind != OG_ABSENT; }
  bool is_tensor() const { return kind == OG_TENSOR || kind == OG_STRINGS; }
  // Every dim is a number.
  bool concrete() const;
  // Product of dims, saturated at INT64_MAX; concrete types only.
  int64_t numel() const;
  bool operator==(const Type& other) const;
};

Type tensor_type(opgraft::dtype dtype);
Type tensor_type(opgraft::dtype dtype, Dims dims);

// What both say; a symbol gives way to a number. Throws Error kInvalidModel with `where` when they contradict.
Type merge(const Type& a, const Type& b, Symbols* symbols, const std::string& where);
// What holds for both: dims that differ become unknown (the join of two branches).
Type join(const Type& a, const Type& b);

// "tensor(float)[1,N,224]", "seq(tensor(int64))"; symbols may be null.
std::string to_string(const Type& type, const Symbols* symbols = nullptr);
std::string dims_to_string(const Dims& dims, const Symbols* symbols = nullptr);
// ONNX's type string without the shape: "tensor(float)".
std::string onnx_type_string(const Type& type);
// Parses "tensor(float)", "seq(tensor(float))", "optional(...)", "map(int64,tensor(float))". False when malformed.
bool parse_onnx_type(const std::string& text, Type* out);

// A view for the plug-in boundary; valid while `type` lives.
og_type to_abi(const Type& type, std::vector<std::unique_ptr<og_type>>* storage);
Type from_abi(const og_type& type);

}  // namespace opgraft::ir
#endif  // OPGRAFT_IR_TYPE_H_
