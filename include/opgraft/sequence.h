// What operators on sequences and optionals share: their types and positions.
#ifndef OPGRAFT_SEQUENCE_H_
#define OPGRAFT_SEQUENCE_H_

#include <string>
#include <vector>

#include "opgraft/axes.h"

namespace opgraft OG_HIDDEN {

namespace types {
inline const std::vector<std::string> sequences = listed("seq(tensor(", tensor_before_bfloat, "))");
}

// Sets an output's type to a sequence (or optional) of `element`.
inline void out_container(Infer& c, int index, int32_t kind, const og_type& element) {
  og_type type{};
  type.size = sizeof(type);
  type.kind = kind;
  type.ndim = -1;
  if (element.kind != OG_ABSENT) type.element = &element;
  c.out(index, type);
}
inline og_type tensor_type(dtype type, int32_t ndim = -1, const int64_t* dims = nullptr) {
  og_type result{};
  result.size = sizeof(result);
  result.kind = type == str ? OG_STRINGS : OG_TENSOR;
  result.dtype = type;
  result.ndim = ndim;
  result.dims = dims;
  return result;
}

// What holds for elements of either type.
inline og_type common_type(const og_type& a, const og_type& b, Dims* dims) {
  og_type result = a;
  if (a.ndim != b.ndim || a.ndim < 0) {
    result.ndim = -1;
    result.dims = nullptr;
    return result;
  }
  for (int i = 0; i < a.ndim; ++i) dims->push_back(a.dims[i] == b.dims[i] ? a.dims[i] : kUnknown);
  result.dims = dims->data();
  return result;
}

// The element type of the sequence at an input; kind OG_ABSENT when it is not known.
inline og_type element_type(const Infer& c, int index) {
  const og_type type = c.raw_type(index);
  if (type.element) return *type.element;
  og_type unknown{};
  unknown.size = sizeof(unknown);
  unknown.ndim = -1;
  return unknown;
}

// A position that may count from the end; `last` = how far it may go.
inline int64_t position_in(const Tensor& tensor, int64_t count, int64_t last) {
  const auto values = tensor.integers();
  if (values.size() != 1) fail("position must be one number, it has " + std::to_string(values.size()));
  const int64_t at = values[0] < 0 ? values[0] + count : values[0];
  if (at < 0 || at > last)
    fail("position " + std::to_string(values[0]) + " is out of range for a sequence of " + std::to_string(count) +
         " elements");
  return at;
}

inline og_value absent_value() {
  og_value value{};
  value.size = sizeof(value);
  return value;
}

}  // namespace OG_HIDDEN
#endif  // OPGRAFT_SEQUENCE_H_
