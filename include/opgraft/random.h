// What operators with random numbers share: the generator, and results in the type that is wanted.
//
// With a seed an operator gives the same numbers at every run; without one, others each time.
#ifndef OPGRAFT_RANDOM_H_
#define OPGRAFT_RANDOM_H_

#include <cstring>
#include <random>

#include "opgraft/op.h"

namespace opgraft OG_HIDDEN {

inline std::mt19937_64 make_generator(const Node& node) {
  if (!node.has_attr("seed")) return std::mt19937_64(std::random_device{}());
  const float seed = node.get("seed", 0.0f);
  uint32_t bits;
  std::memcpy(&bits, &seed, sizeof(bits));
  return std::mt19937_64(bits);
}

inline dtype random_type(const Node& node, dtype otherwise) {
  const int64_t type = node.get("dtype", int64_t(otherwise));
  if (type != any && !is_float(static_cast<int32_t>(type)))
    fail("dtype = " + std::to_string(type) + " is not a float type");
  return static_cast<dtype>(type);
}

// Fills an output of a float type with what `next()` gives.
template <class F>
void fill_random(const Tensor& y, F next) {
  for (int64_t i = 0; i < y.numel(); ++i) {
    const double value = next();
    switch (y.dtype()) {
      case f64:
        y.data<double>()[i] = value;
        break;
      case f16:
        y.data<half_t>()[i] = half_t(static_cast<float>(value));
        break;
      case bf16:
        y.data<bfloat_t>()[i] = bfloat_t(static_cast<float>(value));
        break;
      default:
        y.data<float>()[i] = static_cast<float>(value);
    }
  }
}

inline Dims random_shape(const Node& node) {
  Dims dims = node.ints("shape");
  for (const int64_t dim : dims)
    if (dim < 0) fail("shape has the negative entry " + std::to_string(dim));
  return dims;
}

}  // namespace OG_HIDDEN
#endif  // OPGRAFT_RANDOM_H_
