// Printing, parsing, merging and joining of types.
#include "ir/type.h"

#include <algorithm>
#include <array>

#include "base/error.h"
#include "ir/symbols.h"

namespace opgraft::ir {

bool Type::concrete() const {
  if (!is_tensor() || dtype == any || !ranked) return false;
  for (int64_t dim : dims)
    if (is_symbol(dim)) return false;
  return true;
}

int64_t Type::numel() const {
  int64_t count = 1;
  if (std::find(dims.begin(), dims.end(), 0) != dims.end()) return 0;
  for (int64_t dim : dims)
    if (__builtin_mul_overflow(count, dim, &count)) return INT64_MAX;
  return count;
}

bool Type::operator==(const Type& other) const {
  if (kind != other.kind || dtype != other.dtype || ranked != other.ranked || dims != other.dims) return false;
  if (!element || !other.element) return !element && !other.element;
  return *element == *other.element;
}

Type tensor_type(opgraft::dtype dtype) {
  Type type;
  type.kind = dtype == str ? OG_STRINGS : OG_TENSOR;
  type.dtype = dtype;
  return type;
}

Type tensor_type(opgraft::dtype dtype, Dims dims) {
  Type type = tensor_type(dtype);
  type.ranked = true;
  type.dims = std::move(dims);
  return type;
}

Type merge(const Type& a, const Type& b, Symbols* symbols, const std::string& where) {
  if (!a.known()) return b;
  if (!b.known()) return a;
  const auto clash = [&] {
    throw Error(ErrorCode::kInvalidModel, where + ": type " + to_string(a, symbols) + " and type " +
                                              to_string(b, symbols) + " contradict each other");
  };
  Type result = a;
  if (a.is_tensor() && b.is_tensor()) {
    if (a.dtype == any)
      result.dtype = b.dtype, result.kind = b.kind;
    else if (b.dtype != any && b.dtype != a.dtype)
      clash();
    if (!a.ranked) {
      result.ranked = b.ranked;
      result.dims = b.dims;
    } else if (b.ranked) {
      if (a.dims.size() != b.dims.size()) clash();
      for (size_t i = 0; i < a.dims.size(); ++i) {
        if (is_unknown(a.dims[i]) || (is_symbol(a.dims[i]) && !is_symbol(b.dims[i])))
          result.dims[i] = b.dims[i];
        else if (!is_symbol(a.dims[i]) && !is_symbol(b.dims[i]) && a.dims[i] != b.dims[i])
          clash();
      }
    }
    return result;
  }
  if (a.kind != b.kind) clash();
  if (!a.element)
    result.element = b.element;
  else if (b.element)
    result.element = std::make_shared<Type>(merge(*a.element, *b.element, symbols, where));
  return result;
}

Type join(const Type& a, const Type& b) {
  if (a.kind != b.kind || a.dtype != b.dtype) return {};
  Type result = a;
  if (!a.ranked || !b.ranked || a.dims.size() != b.dims.size()) {
    result.ranked = false;
    result.dims.clear();
  } else {
    for (size_t i = 0; i < a.dims.size(); ++i)
      if (a.dims[i] != b.dims[i]) result.dims[i] = OG_UNKNOWN;
  }
  if (a.element && b.element) result.element = std::make_shared<Type>(join(*a.element, *b.element));
  return result;
}

std::string dims_to_string(const Dims& dims, const Symbols* symbols) {
  std::string text = "[";
  for (size_t i = 0; i < dims.size(); ++i) {
    if (i) text += ",";
    text += is_symbol(dims[i]) ? (symbols ? symbols->text(dims[i]) : "?") : std::to_string(dims[i]);
  }
  return text + "]";
}

std::string onnx_type_string(const Type& type) {
  const auto inner = [&] { return type.element ? onnx_type_string(*type.element) : std::string("?"); };
  switch (type.kind) {
    case OG_TENSOR:
    case OG_STRINGS:
      return std::string("tensor(") + (type.dtype == any ? "?" : dtype_name(type.dtype)) + ")";
    case OG_SEQUENCE:
      return "seq(" + inner() + ")";
    case OG_OPTIONAL:
      return "optional(" + inner() + ")";
    case OG_MAP:
      return std::string("map(") + dtype_name(type.dtype) + "," + inner() + ")";
    default:
      return "?";
  }
}

std::string to_string(const Type& type, const Symbols* symbols) {
  std::string text = onnx_type_string(type);
  if (type.is_tensor()) text += type.ranked ? dims_to_string(type.dims, symbols) : "[...]";
  return text;
}

bool parse_onnx_type(const std::string& text, Type* out) {
  const auto inside = [&](const char* prefix, std::string* inner) {
    const std::string start = std::string(prefix) + "(";
    if (text.rfind(start, 0) != 0 || text.back() != ')') return false;
    *inner = text.substr(start.size(), text.size() - start.size() - 1);
    return true;
  };
  const auto find_dtype = [](const std::string& name) {
    for (int i = 1; i < kDtypeCount; ++i)
      if (name == kDtypes[i].name) return static_cast<opgraft::dtype>(i);
    return any;
  };
  std::string inner;
  Type element;
  if (inside("tensor", &inner) || inside("sparse_tensor", &inner)) {
    const opgraft::dtype dtype = find_dtype(inner);
    *out = tensor_type(dtype);
    return dtype != any;
  }
  if (inside("seq", &inner) || inside("optional", &inner)) {
    if (!parse_onnx_type(inner, &element)) return false;
    *out = Type{};
    out->kind = text[0] == 's' ? OG_SEQUENCE : OG_OPTIONAL;
    out->element = std::make_shared<Type>(element);
    return true;
  }
  if (inside("map", &inner)) {
    const size_t comma = inner.find(',');
    if (comma == std::string::npos) return false;
    size_t start = comma + 1;
    while (start < inner.size() && inner[start] == ' ') ++start;
    *out = Type{};
    out->kind = OG_MAP;
    out->dtype = find_dtype(inner.substr(0, comma));
    if (out->dtype == any || !parse_onnx_type(inner.substr(start), &element)) return false;
    out->element = std::make_shared<Type>(element);
    return true;
  }
  return false;
}

og_type to_abi(const Type& type, std::vector<std::unique_ptr<og_type>>* storage) {
  og_type result{};
  result.size = sizeof(result);
  result.kind = type.kind;
  result.dtype = type.dtype;
  result.ndim = type.ranked ? static_cast<int32_t>(type.dims.size()) : -1;
  result.dims = type.dims.data();
  if (type.element && storage) {
    storage->push_back(std::make_unique<og_type>(to_abi(*type.element, storage)));
    result.element = storage->back().get();
  }
  return result;
}

Type from_abi(const og_type& raw) {
  Type type;
  type.kind = raw.kind;
  type.dtype = is_dtype(raw.dtype) ? static_cast<opgraft::dtype>(raw.dtype) : any;
  if (type.is_tensor()) type.kind = type.dtype == str ? OG_STRINGS : OG_TENSOR;
  type.ranked = raw.ndim >= 0 && type.is_tensor();
  if (raw.ndim > 0 && raw.dims) type.dims.assign(raw.dims, raw.dims + raw.ndim);
  if (raw.element) type.element = std::make_shared<Type>(from_abi(*raw.element));
  return type;
}

}  // namespace opgraft::ir
