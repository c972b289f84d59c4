// Conversion of arrays through the buffer protocol with a dtype table of our own.
#include "values.h"

#include <cstring>

#include "base/error.h"

namespace opgraft::python {
namespace {

// Element type of a buffer format; any = not one that the buffer protocol can tell.
opgraft::dtype from_format(const char* format, Py_ssize_t item) {
  if (!format) return item == 1 ? u8 : any;
  if (*format == '<' || *format == '=' || *format == '@' || *format == '|') ++format;
  if (format[0] == 'Z') {
    if (format[1] == 'f') return c64;
    if (format[1] == 'd') return c128;
    return any;
  }
  if (format[0] == '\0' || format[1] != '\0') return any;
  switch (format[0]) {
    case 'f':
      return f32;
    case 'd':
      return f64;
    case 'e':
      return f16;
    case '?':
      return boolean;
    case 'b':
      return i8;
    case 'B':
      return u8;
    case 'h':
      return i16;
    case 'H':
      return u16;
    case 'i':
    case 'l':
    case 'q':
    case 'n':
      return item == 4 ? i32 : item == 8 ? i64 : any;
    case 'I':
    case 'L':
    case 'Q':
    case 'N':
      return item == 4 ? u32 : item == 8 ? u64 : any;
    default:
      return any;
  }
}

struct HeldBuffer {
  Py_buffer buffer{};
  ~HeldBuffer() {
    const nb::gil_scoped_acquire lock;
    PyBuffer_Release(&buffer);
  }
};

RuntimeValue strings_to_value(nb::handle list, const ir::Dims& dims) {
  RuntimeValue value = RuntimeValue::allocate(str, dims);
  auto& strings = *static_cast<std::vector<std::string>*>(value.abi().handle);
  size_t i = 0;
  for (nb::handle item : list) {
    if (i == strings.size()) break;
    if (PyBytes_Check(item.ptr()))
      strings[i++].assign(PyBytes_AsString(item.ptr()), static_cast<size_t>(PyBytes_Size(item.ptr())));
    else
      strings[i++] = nb::cast<std::string>(nb::str(item));
  }
  return value;
}

RuntimeValue sequence_to_value(nb::handle list, const std::string& what) {
  auto sequence = std::make_shared<SequenceObject>();
  for (nb::handle item : list) {
    auto owned = std::make_shared<RuntimeValue>(to_value(item, what));
    sequence->items.push_back(owned->abi());
    sequence->owners.push_back(owned);
  }
  og_value whole{};
  whole.size = sizeof(whole);
  whole.kind = OG_SEQUENCE;
  whole.handle = sequence.get();
  return RuntimeValue(whole, sequence);
}

// (keys, values) of a dictionary.
RuntimeValue map_to_value(nb::handle pair, const std::string& what) {
  RuntimeValue map = sequence_to_value(pair, what);
  const auto* object = static_cast<const SequenceObject*>(map.abi().handle);
  map.abi().kind = OG_MAP;
  map.abi().dtype = object->items[0].dtype;
  return map;
}

RuntimeValue from_buffer(nb::handle object, opgraft::dtype known, const std::string& what) {
  auto held = std::make_shared<HeldBuffer>();
  if (PyObject_GetBuffer(object.ptr(), &held->buffer, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) != 0) {
    PyErr_Clear();
    throw Error(ErrorCode::kInvalidArgument, what + ": not an array");
  }
  const Py_buffer& buffer = held->buffer;
  og_value value{};
  value.size = sizeof(value);
  value.kind = OG_TENSOR;
  value.dtype = known != any ? known : from_format(buffer.format, buffer.itemsize);
  value.tensor.device = {1, 0};
  value.tensor.dtype = ir::to_dl(static_cast<opgraft::dtype>(value.dtype));
  const ir::Dims dims(buffer.shape, buffer.shape + buffer.ndim);
  value.tensor.ndim = buffer.ndim;
  value.tensor.shape = const_cast<int64_t*>(dims.data());
  value.tensor.data = buffer.buf;
  value.bytes = static_cast<uint64_t>(buffer.len);
  return RuntimeValue(value, held);
}

nb::object helper(const char* name) { return nb::module_::import_("opgraft._arrays").attr(name); }

}  // namespace

RuntimeValue to_value(nb::handle object, const std::string& what) {
  Py_buffer probe{};
  if (PyObject_GetBuffer(object.ptr(), &probe, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) == 0) {
    const bool plain = from_format(probe.format, probe.itemsize) != any;
    PyBuffer_Release(&probe);
    if (plain) return from_buffer(object, any, what);
  } else {
    PyErr_Clear();
  }
  // (kind, payload, element type, dims): see opgraft/_arrays.py.
  nb::tuple normal;
  try {
    normal = nb::cast<nb::tuple>(helper("normalize")(object));
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_TypeError) && !error.matches(PyExc_ValueError)) throw;
    throw Error(ErrorCode::kInvalidArgument, what + ": " + nb::cast<std::string>(nb::str(error.value())));
  }
  const std::string kind = nb::cast<std::string>(normal[0]);
  if (kind == "sequence") return sequence_to_value(normal[1], what);
  if (kind == "map") return map_to_value(normal[1], what);
  if (kind == "strings") return strings_to_value(normal[1], nb::cast<std::vector<int64_t>>(normal[3]));
  RuntimeValue value = from_buffer(normal[1], static_cast<opgraft::dtype>(nb::cast<int>(normal[2])), what);
  if (kind == "packed") {  // sub-byte elements: the buffer's dims are not the tensor's
    og_value raw = value.abi();
    const auto dims = nb::cast<std::vector<int64_t>>(normal[3]);
    raw.tensor.ndim = static_cast<int32_t>(dims.size());
    raw.tensor.shape = const_cast<int64_t*>(dims.data());
    return RuntimeValue(raw, value.owner());
  }
  return value;
}

namespace {

// What nanobind may carry: kinds that NumPy has. Others travel as unsigned integers of their size.
og_dl_dtype carrier(int32_t dtype) {
  switch (dtype) {
    case bf16:
      return {1, 16, 1};
    case f8e4m3fn:
    case f8e4m3fnuz:
    case f8e5m2:
    case f8e5m2fnuz:
    case f8e8m0:
    case u4:
    case i4:
    case f4e2m1:
    case u2:
    case i2:
    case f6e2m3:
    case f6e3m2:
      return {1, 8, 1};
    default:
      return ir::to_dl(static_cast<opgraft::dtype>(dtype));
  }
}

nb::object make_array(const og_value& value, nb::handle owner, bool writable) {
  const og_dl_dtype dl = carrier(value.dtype);
  const nb::dlpack::dtype dtype{dl.code, dl.bits, dl.lanes};
  std::vector<size_t> shape(value.tensor.shape, value.tensor.shape + value.tensor.ndim);
  const bool packed = dtype_bits(value.dtype) < 8;
  if (packed) shape = {static_cast<size_t>(value.bytes)};
  nb::object array;
  if (writable)
    array = nb::cast(nb::ndarray<nb::numpy>(value.tensor.data, shape.size(), shape.data(), owner, nullptr, dtype));
  else
    array =
        nb::cast(nb::ndarray<nb::numpy, nb::ro>(value.tensor.data, shape.size(), shape.data(), owner, nullptr, dtype));
  if (ir::to_dl(static_cast<opgraft::dtype>(value.dtype)).code != dl.code || packed)
    array = helper("restore")(
        array, value.dtype, nb::cast(std::vector<int64_t>(value.tensor.shape, value.tensor.shape + value.tensor.ndim)));
  return array;
}

}  // namespace

nb::object to_python(const RuntimeValue& value) {
  const og_value& raw = value.abi();
  if (raw.kind == OG_ABSENT) return nb::none();
  if (raw.kind == OG_STRINGS) {
    nb::list list;
    for (const auto& text : *static_cast<const std::vector<std::string>*>(raw.handle))
      list.append(nb::str(text.data(), text.size()));
    return helper("string_array")(list, nb::cast(value.dims()));
  }
  if (raw.kind == OG_MAP) {
    const auto& items = static_cast<const SequenceObject*>(raw.handle)->items;
    const nb::object keys = to_python(RuntimeValue(items[0], value.owner()));
    const nb::object values = to_python(RuntimeValue(items[1], value.owner()));
    return helper("make_map")(keys, values);
  }
  if (raw.kind == OG_SEQUENCE || raw.kind == OG_OPTIONAL) {
    const auto* sequence = static_cast<const SequenceObject*>(raw.handle);
    nb::list list;
    if (sequence)
      for (const auto& item : sequence->items) list.append(to_python(RuntimeValue(item, value.owner())));
    if (raw.kind == OG_OPTIONAL) return list.size() ? nb::object(list[0]) : nb::none();
    return list;
  }
  auto* kept = new std::shared_ptr<const void>(value.owner());
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::shared_ptr<const void>*>(p); });
  return make_array(raw, owner, true);
}

nb::object copy_to_python(const og_value& value) { return to_python(RuntimeValue::copy_of(value)); }

Views::~Views() {
  std::shared_ptr<const void> kept;
  for (const auto& owner : owners_) {
    if (Py_REFCNT(owner.ptr()) == 1) continue;
    if (!kept) kept = keeper_();
    *static_cast<std::shared_ptr<const void>*>(owner.data()) = kept;
  }
}

nb::object Views::view(const og_value& value, bool writable) {
  if (value.kind == OG_ABSENT) return nb::none();
  if (value.kind != OG_TENSOR) return to_python(RuntimeValue(value, nullptr));
  // An owner makes nanobind return a view instead of a copy.
  owners_.emplace_back(new std::shared_ptr<const void>,
                       [](void* p) noexcept { delete static_cast<std::shared_ptr<const void>*>(p); });
  return make_array(value, owners_.back(), writable);
}

nb::object numpy_dtype(int32_t dtype) { return helper("numpy_dtype")(dtype); }

}  // namespace opgraft::python
