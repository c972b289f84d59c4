// Interning and simplification of symbolic dimensions.
#include "ir/symbols.h"

#include <algorithm>

#include "ir/type.h"

namespace opgraft::ir {
namespace {

int64_t floor_div(int64_t a, int64_t b) {
  const int64_t quotient = a / b;
  return quotient - ((a % b != 0) && ((a < 0) != (b < 0)));
}

}  // namespace

int64_t combine_numbers(int32_t operation, int64_t a, int64_t b) {
  if (is_symbol(a) || is_symbol(b)) return OG_UNKNOWN;
  int64_t result = 0;
  switch (operation) {
    case OG_DIM_ADD:
      return __builtin_add_overflow(a, b, &result) ? OG_UNKNOWN : result;
    case OG_DIM_SUB:
      return __builtin_sub_overflow(a, b, &result) ? OG_UNKNOWN : result;
    case OG_DIM_MUL:
      return __builtin_mul_overflow(a, b, &result) ? OG_UNKNOWN : result;
    case OG_DIM_FLOOR_DIV:
      return b == 0 || b == -1 ? (b == 0 ? OG_UNKNOWN : 0 - a) : floor_div(a, b);
    case OG_DIM_CEIL_DIV:
      return b == 0 || b == -1 ? (b == 0 ? OG_UNKNOWN : 0 - a) : floor_div(a, b) + (a % b != 0);
    case OG_DIM_MAX:
      return std::max(a, b);
    case OG_DIM_MIN:
      return std::min(a, b);
    default:
      return OG_UNKNOWN;
  }
}

Symbols::Symbols() { texts_.push_back("?"); }

int64_t Symbols::intern(std::string text) {
  const auto [position, added] = index_.emplace(text, OG_SYMBOL_BASE - static_cast<int64_t>(texts_.size()));
  if (added) texts_.push_back(std::move(text));
  return position->second;
}

int64_t Symbols::named(const std::string& name) { return intern(name); }

int64_t Symbols::fresh() { return intern("unk__" + std::to_string(fresh_count_++)); }

int64_t Symbols::combine(int32_t operation, int64_t a, int64_t b) {
  if (!is_symbol(a) && !is_symbol(b)) return combine_numbers(operation, a, b);
  if (is_unknown(a) || is_unknown(b)) return operation == OG_DIM_MUL && (a == 0 || b == 0) ? 0 : OG_UNKNOWN;
  switch (operation) {
    case OG_DIM_ADD:
      if (a == 0) return b;
      if (b == 0) return a;
      if (!is_symbol(a)) std::swap(a, b);
      if (!is_symbol(b) && b < 0) return combine(OG_DIM_SUB, a, -b);
      return intern("(" + text(a) + " + " + text(b) + ")");
    case OG_DIM_SUB:
      if (b == 0) return a;
      if (a == b) return 0;
      if (!is_symbol(b) && b < 0) return combine(OG_DIM_ADD, a, -b);
      return intern("(" + text(a) + " - " + text(b) + ")");
    case OG_DIM_MUL:
      if (a == 0 || b == 0) return 0;
      if (a == 1) return b;
      if (b == 1) return a;
      if (!is_symbol(a)) std::swap(a, b);
      return intern(text(b) + "*" + text(a));
    case OG_DIM_FLOOR_DIV:
    case OG_DIM_CEIL_DIV:
      if (b == 1) return a;
      if (a == b) return 1;
      return intern((operation == OG_DIM_FLOOR_DIV ? "floor(" : "ceil(") + text(a) + "/" + text(b) + ")");
    case OG_DIM_MAX:
    case OG_DIM_MIN:
      if (a == b) return a;
      if (operation == OG_DIM_MAX && (a == 0 || b == 0)) return a == 0 ? b : a;  // dims are not negative
      if (a > b) std::swap(a, b);
      return intern((operation == OG_DIM_MAX ? "max(" : "min(") + text(a) + "," + text(b) + ")");
    default:
      return OG_UNKNOWN;
  }
}

std::string Symbols::text(int64_t dim) const {
  if (!is_symbol(dim)) return std::to_string(dim);
  const auto index = static_cast<uint64_t>(OG_SYMBOL_BASE - dim);
  return index < texts_.size() ? texts_[index] : "?";
}

}  // namespace opgraft::ir
