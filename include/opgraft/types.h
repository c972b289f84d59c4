// Lists of element types, for type constraints of operators.
#ifndef OPGRAFT_TYPES_H_
#define OPGRAFT_TYPES_H_

#include <string>
#include <vector>

#include "opgraft/dtype.h"

namespace opgraft OG_HIDDEN {

// A list of element types; joins with +.
using Dtypes = std::vector<dtype>;
inline Dtypes operator+(Dtypes a, const Dtypes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}
namespace types {
inline const Dtypes signed_integers{i8, i16, i32, i64};
inline const Dtypes unsigned_integers{u8, u16, u32, u64};
inline const Dtypes integers{i8, i16, i32, i64, u8, u16, u32, u64};
inline const Dtypes float8{f8e4m3fn, f8e4m3fnuz, f8e5m2, f8e5m2fnuz};
// As ONNX knew them before bfloat16 (opset 13) ...
inline const Dtypes ieee{f16, f32, f64};
inline const Dtypes high_precision_before_bfloat{f16, f32, f64, i32, i64, u32, u64};
inline const Dtypes numeric_before_bfloat = ieee + integers;
inline const Dtypes tensor_before_bfloat = numeric_before_bfloat + Dtypes{boolean, str, c64, c128};
// ... with it ...
inline const Dtypes floats{f16, f32, f64, bf16};
inline const Dtypes high_precision{f16, f32, f64, bf16, i32, i64, u32, u64};
inline const Dtypes numeric = floats + integers;
inline const Dtypes tensor = numeric + Dtypes{boolean, str, c64, c128};
// ... and all tensor types of opsets 19, 21, 23, 24 and 25; those smaller than a byte are packed.
inline const Dtypes tensor_19 = tensor + float8;
inline const Dtypes tensor_21 = tensor_19 + Dtypes{u4, i4};
inline const Dtypes tensor_23 = tensor_21 + Dtypes{f4e2m1};
inline const Dtypes tensor_24 = tensor_23 + Dtypes{f8e8m0};
inline const Dtypes all = tensor_24 + Dtypes{u2, i2};
// Type strings of these element types in a form: listed("seq(tensor(", {f32}, "))") = {"seq(tensor(float))"}.
inline std::vector<std::string> listed(const char* before, const Dtypes& dtypes, const char* after) {
  std::vector<std::string> result;
  for (const dtype type : dtypes) result.push_back(before + std::string(dtype_name(type)) + after);
  return result;
}
// Values of control flow, as type strings: tensors, sequences, and optionals of either.
inline std::vector<std::string> values(const Dtypes& tensors = all, const Dtypes& sequences = all,
                                       const Dtypes& optionals = all, const Dtypes& optional_sequences = tensor) {
  std::vector<std::string> result = listed("tensor(", tensors, ")");
  for (const auto& more : {listed("seq(tensor(", sequences, "))"), listed("optional(tensor(", optionals, "))"),
                           listed("optional(seq(tensor(", optional_sequences, ")))")})
    result.insert(result.end(), more.begin(), more.end());
  return result;
}
}  // namespace types

}  // namespace OG_HIDDEN
#endif  // OPGRAFT_TYPES_H_
