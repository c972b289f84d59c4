// What scattering operators share: how an update meets the element it falls on.
#ifndef OPGRAFT_SCATTER_H_
#define OPGRAFT_SCATTER_H_

#include <string>

#include "opgraft/axes.h"
#include "opgraft/pointwise.h"

namespace opgraft OG_HIDDEN {

enum class Reduction { none, add, mul, min, max };

inline Reduction reduction_of(const Node& node) {
  const std::string name = node.get("reduction", "none");
  if (name == "none") return Reduction::none;
  if (name == "add") return Reduction::add;
  if (name == "mul") return Reduction::mul;
  if (name == "min") return Reduction::min;
  if (name == "max") return Reduction::max;
  fail("reduction is \"" + name + "\", expected none, add, mul, min or max");
}

template <class T>
void reduce_into(T& target, T update, Reduction reduction) {
  if constexpr (std::is_same_v<T, bool>) {
    const bool both = target && update, either = target || update;
    target = reduction == Reduction::none                                 ? update
             : reduction == Reduction::add || reduction == Reduction::max ? either
                                                                          : both;
  } else {
    switch (reduction) {
      case Reduction::none:
        target = update;
        break;
      case Reduction::add:
        target = wrap_add(target, update);
        break;
      case Reduction::mul:
        target = wrap_mul(target, update);
        break;
      case Reduction::min:  // NaN wins
        target = update < target || update != update ? update : target;
        break;
      case Reduction::max:
        target = update > target || update != update ? update : target;
        break;
    }
  }
}

// Calls fn(zero of the type) for types that can be reduced; fails for others.
template <class F>
void by_reducible_type(int32_t type, F&& fn) {
  switch (type) {
    case f32:
      return fn(float{});
    case f64:
      return fn(double{});
    case i8:
      return fn(int8_t{});
    case i16:
      return fn(int16_t{});
    case i32:
      return fn(int32_t{});
    case i64:
      return fn(int64_t{});
    case u8:
      return fn(uint8_t{});
    case u16:
      return fn(uint16_t{});
    case u32:
      return fn(uint32_t{});
    case u64:
      return fn(uint64_t{});
    case boolean:
      return fn(bool{});
    default:
      fail(std::string("elements of type ") + dtype_name(type) + " cannot be reduced");
  }
}

// Half types with a reduction are computed in float.
inline bool raise_reduction_of_halves(Graph& g) {
  const dtype type = g.dtype(0);
  if (type != f16 && type != bf16) return false;
  if (reduction_of(g) == Reduction::none) return false;
  const std::string name = g.info().op_type;
  g.node("Cast", {"data"}, {"wide"}).attr("to", int64_t(f32));
  g.node("Cast", {"updates"}, {"wide_updates"}).attr("to", int64_t(f32));
  g.node(name.c_str(), {"wide", "indices", "wide_updates"}, {"result"}).attr_from("reduction").attr_from("axis");
  g.node("Cast", {"result"}, {"output"}).attr("to", int64_t(type));
  return true;
}

}  // namespace OG_HIDDEN
#endif  // OPGRAFT_SCATTER_H_
