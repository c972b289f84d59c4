// Translation of engine errors.
#include "errors.h"

#include <cstring>

#include "base/error.h"

namespace opgraft::python {
namespace {

// By thread; touched with the interpreter lock only. A thread that ends with one left keeps it: there is no lock then.
struct Remembered {
  PyObject* exception = nullptr;
  std::string text;
};
thread_local Remembered remembered;

PyObject* error_type = nullptr;  // lives as long as the process

void translate(const std::exception_ptr& pointer, void*) {
  try {
    std::rethrow_exception(pointer);
  } catch (const Error& error) {
    const Remembered cause = remembered;
    remembered = {};
    const bool fits = cause.exception && std::strstr(error.what(), cause.text.c_str());
    if (fits && !PyErr_GivenExceptionMatches(cause.exception, PyExc_Exception)) {
      PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(cause.exception)), cause.exception);
      Py_DECREF(cause.exception);
      return;
    }
    const nb::object text = nb::steal(
        PyUnicode_DecodeUTF8(error.what(), static_cast<Py_ssize_t>(std::strlen(error.what())), "backslashreplace"));
    PyObject* made = text.is_valid() ? PyObject_CallOneArg(error_type, text.ptr()) : nullptr;
    if (made) {
      if (fits)
        PyException_SetCause(made, cause.exception);  // takes the reference
      else
        Py_XDECREF(cause.exception);
      PyErr_SetObject(error_type, made);
      Py_DECREF(made);
    } else {
      Py_XDECREF(cause.exception);
    }
  }
}

}  // namespace

void bind_errors(nb::module_& module) {
  error_type = PyErr_NewExceptionWithDoc("opgraft.Error", "What went wrong, where, and what to do about it.",
                                         PyExc_RuntimeError, nullptr);
  if (!error_type) throw nb::python_error();
  module.attr("Error") = nb::handle(error_type);
  nb::register_exception_translator(&translate);
}

void remember_exception(const nb::python_error& error, const std::string& text) {
  Py_XDECREF(remembered.exception);
  remembered = {nb::object(nb::borrow(error.value())).release().ptr(), text};
}

}  // namespace opgraft::python
