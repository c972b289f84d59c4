// Errors across the language border: engine errors as opgraft.Error, with the Python exception that caused them.
#ifndef OPGRAFT_PYTHON_ERRORS_H_
#define OPGRAFT_PYTHON_ERRORS_H_

#include <nanobind/nanobind.h>

#include <string>

namespace opgraft::python {

namespace nb = nanobind;

// Makes the module's class Error and translates opgraft::Error into it.
void bind_errors(nb::module_& module);

// An exception that a callback in this thread turned into the engine error `text`: it becomes the __cause__ of the
// Error that carries the text. KeyboardInterrupt, SystemExit and the like come out of the engine as they went in.
void remember_exception(const nb::python_error& error, const std::string& text);

}  // namespace opgraft::python
#endif  // OPGRAFT_PYTHON_ERRORS_H_
