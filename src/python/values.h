// NumPy arrays to engine values and back.
#ifndef OPGRAFT_PYTHON_VALUES_H_
#define OPGRAFT_PYTHON_VALUES_H_

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "exec/kernel.h"

namespace opgraft::python {

namespace nb = nanobind;

// Borrows an array's memory (the value's owner keeps the Python object; it is released with the interpreter lock held).
// Accepts what the buffer protocol gives, then whatever opgraft._arrays.normalize makes of the object. Throws nb
// errors.
RuntimeValue to_value(nb::handle object, const std::string& what);

// A NumPy array that owns the value's memory; strings become an object array, bfloat16 and smaller floats ml_dtypes.
nb::object to_python(const RuntimeValue& value);

// NumPy views of memory that the engine owns for the length of a callback. Arrays that outlive it keep what `keeper`
// gives then, so that reading them is safe.
class Views {
 public:
  using Keeper = std::function<std::shared_ptr<const void>()>;
  explicit Views(Keeper keeper) : keeper_(std::move(keeper)) {}
  ~Views();  // needs the interpreter lock
  Views(const Views&) = delete;
  Views& operator=(const Views&) = delete;
  nb::object view(const og_value& value, bool writable);

 private:
  Keeper keeper_;
  std::vector<nb::capsule> owners_;
};

// A NumPy array with a copy of what the engine owns.
nb::object copy_to_python(const og_value& value);

// "float32" <-> element type; NumPy's names, and those of ml_dtypes.
nb::object numpy_dtype(int32_t dtype);

}  // namespace opgraft::python
#endif  // OPGRAFT_PYTHON_VALUES_H_
