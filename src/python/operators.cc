// Operators written in Python: a dictionary from the decorator becomes a plug-in whose callbacks call back into Python.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstring>

#include "base/error.h"
#include "errors.h"
#include "registry/contexts.h"
#include "registry/registry.h"
#include "runtime/session.h"
#include "values.h"

namespace opgraft::python {
namespace {

void release_object(void* user) {
  if (!Py_IsInitialized()) return;
  const nb::gil_scoped_acquire lock;
  Py_DECREF(static_cast<PyObject*>(user));
}

// A reference that a callback owns.
void* keep(nb::handle object) {
  Py_INCREF(object.ptr());
  return object.ptr();
}

// Runs Python code of a callback; an exception becomes the engine's error, with its traceback.
template <class F>
int32_t guarded(F&& body) noexcept {
  const nb::gil_scoped_acquire lock;
  try {
    body();
    return 0;
  } catch (nb::python_error& error) {
    const std::string text = std::string("Python raised ") + error.what();
    remember_exception(error, text);
    set_error(text);
  } catch (const std::exception& error) {
    set_error(error.what());
  }
  return 1;
}

nb::object attribute_object(const og_attr& attr) {
  switch (attr.kind) {
    case OG_ATTR_INT:
      return nb::int_(attr.ints[0]);
    case OG_ATTR_FLOAT:
      return nb::float_(attr.floats[0]);
    case OG_ATTR_STRING:
      return nb::str(attr.strings[0].data, attr.strings[0].length);
    case OG_ATTR_INTS:
      return nb::cast(std::vector<int64_t>(attr.ints, attr.ints + attr.count));
    case OG_ATTR_FLOATS:
      return nb::cast(std::vector<float>(attr.floats, attr.floats + attr.count));
    case OG_ATTR_STRINGS: {
      nb::list list;
      for (int64_t i = 0; i < attr.count; ++i) list.append(nb::str(attr.strings[i].data, attr.strings[i].length));
      return list;
    }
    case OG_ATTR_TENSOR:
      return copy_to_python(attr.tensors[0]);
    default:
      return nb::none();
  }
}

nb::dict attributes_of(const og_node* node) {
  nb::dict result;
  for (const og_attr& attr : node->attributes) result[attr.name] = attribute_object(attr);
  return result;
}

// (element type, dims or None) of a type; dims are numbers, or None where unknown.
nb::object type_object(const og_type& type, bool keep_symbols) {
  if (type.kind == OG_ABSENT && type.dtype == OG_ANY) return nb::make_tuple(0, nb::none());
  if (type.ndim < 0) return nb::make_tuple(type.dtype, nb::none());
  nb::list dims;
  for (int i = 0; i < type.ndim; ++i)
    dims.append(ir::is_symbol(type.dims[i]) && !keep_symbols ? nb::none() : nb::object(nb::int_(type.dims[i])));
  return nb::make_tuple(type.dtype, dims);
}

int32_t call_infer(void* user, og_infer* ctx) {
  return guarded([&] {
    const nb::handle fn(static_cast<PyObject*>(user));
    const og_node* node = ctx->node();
    nb::list inputs;
    for (int i = 0; i < node->input_count; ++i) {
      og_type type{};
      type.size = sizeof(type);
      og_value value{};
      value.size = sizeof(value);
      if (!ctx->input_type(i, &type)) {
        inputs.append(nb::none());
        continue;
      }
      nb::object contents = nb::none();
      if (ctx->input_value(i, &value)) contents = copy_to_python(value);
      inputs.append(nb::make_tuple(type_object(type, true), contents));
    }
    nb::list outputs = nb::cast<nb::list>(fn(inputs, attributes_of(node)));
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (outputs[i].is_none()) continue;
      nb::tuple pair = nb::cast<nb::tuple>(outputs[i]);
      og_type type{};
      type.size = sizeof(type);
      type.dtype = nb::cast<int>(pair[0]);
      type.kind = type.dtype == OG_STRING ? OG_STRINGS : OG_TENSOR;
      std::vector<int64_t> dims;
      type.ndim = -1;
      if (!pair[1].is_none()) {
        for (nb::handle dim : nb::cast<nb::sequence>(pair[1]))
          dims.push_back(dim.is_none() ? OG_UNKNOWN : nb::cast<int64_t>(dim));
        type.ndim = static_cast<int32_t>(dims.size());
        type.dims = dims.data();
      }
      ctx->set_output(static_cast<int>(i), type);
    }
  });
}

ir::Attribute python_attribute(const std::string& name, nb::handle value) {
  ir::Attribute attribute;
  attribute.name = name;
  if (nb::isinstance<nb::bool_>(value) || nb::isinstance<nb::int_>(value)) {
    attribute.kind = OG_ATTR_INT;
    attribute.ints = {nb::cast<int64_t>(value)};
  } else if (nb::isinstance<nb::float_>(value)) {
    attribute.kind = OG_ATTR_FLOAT;
    attribute.floats = {static_cast<float>(nb::cast<double>(value))};
  } else if (nb::isinstance<nb::str>(value)) {
    attribute.kind = OG_ATTR_STRING;
    attribute.strings = {nb::cast<std::string>(value)};
  } else if (nb::isinstance<nb::list>(value) || nb::isinstance<nb::tuple>(value)) {
    bool integers = true, texts = true;
    for (nb::handle item : value) {
      integers &= nb::isinstance<nb::int_>(item);
      texts &= nb::isinstance<nb::str>(item);
    }
    if (integers)
      attribute.kind = OG_ATTR_INTS, attribute.ints = nb::cast<std::vector<int64_t>>(value);
    else if (texts)
      attribute.kind = OG_ATTR_STRINGS, attribute.strings = nb::cast<std::vector<std::string>>(value);
    else {
      attribute.kind = OG_ATTR_FLOATS;
      for (nb::handle item : value)
        attribute.floats.push_back(static_cast<float>(nb::cast<double>(nb::float_(nb::borrow(item)))));
    }
  } else {
    attribute.kind = OG_ATTR_TENSOR;
    attribute.tensors = {tensor_from_abi(to_value(value, "attribute \"" + name + "\"").abi())};
  }
  return attribute;
}

// The Python side returns (constants, nodes): [(name, array)], [(domain, op, inputs, outputs, attributes)], or None.
int32_t call_graph(void* user, og_graph* graph) {
  bool built = true;
  const int32_t status = guarded([&] {
    const nb::handle fn(static_cast<PyObject*>(user));
    const og_node* node = graph->node();
    nb::list inputs;
    for (int i = 0; i < node->input_count; ++i) {
      og_type type{};
      type.size = sizeof(type);
      inputs.append(graph->input_type(i, &type) ? type_object(type, false) : nb::none());
    }
    nb::object result = fn(inputs, attributes_of(node));
    if (result.is_none()) {
      built = false;
      return;
    }
    nb::tuple parts = nb::cast<nb::tuple>(result);
    for (nb::handle item : parts[0]) {
      nb::tuple pair = nb::cast<nb::tuple>(item);
      graph->constant(nb::cast<std::string>(pair[0]).c_str(), tensor_from_abi(to_value(pair[1], "constant").abi()));
    }
    for (nb::handle item : parts[1]) {
      nb::tuple made = nb::cast<nb::tuple>(item);
      const auto in = nb::cast<std::vector<std::string>>(made[2]);
      const auto out = nb::cast<std::vector<std::string>>(made[3]);
      std::vector<const char*> in_names, out_names;
      for (const auto& name : in) in_names.push_back(name.c_str());
      for (const auto& name : out) out_names.push_back(name.c_str());
      og_new_node* added =
          graph->add(nb::cast<std::string>(made[0]).c_str(), nb::cast<std::string>(made[1]).c_str(), in_names.data(),
                     static_cast<int>(in.size()), out_names.data(), static_cast<int>(out.size()));
      for (const auto& [key, value] : nb::cast<nb::dict>(made[4]))
        added->attr(python_attribute(nb::cast<std::string>(key), value));
    }
  });
  return status ? status : built ? 0 : int32_t(OG_NOT_YET);
}

// Calls fn(inputs, outputs, attributes) with views; outputs of unknown dims are None and may be returned as arrays.
int32_t call_kernel(void* user, og_run* run) {
  return guarded([&] {
    const nb::handle fn(static_cast<PyObject*>(user));
    auto& engine = *static_cast<RunEngine*>(run->engine);
    Views views([&] { return engine.keep_memory(); });
    nb::list inputs, outputs;
    for (int i = 0; i < run->input_count; ++i) inputs.append(views.view(run->inputs[i], false));
    for (int i = 0; i < run->output_count; ++i) {
      const og_value& value = run->outputs[i];
      outputs.append(value.kind == OG_TENSOR && value.tensor.data ? views.view(value, true) : nb::none());
    }
    nb::object returned = fn(inputs, outputs, attributes_of(run->node));
    if (returned.is_none()) return;
    nb::list results = nb::cast<nb::list>(returned);
    for (size_t i = 0; i < results.size(); ++i) {
      if (results[i].is_none()) continue;
      const int index = static_cast<int>(i);
      const RuntimeValue value = to_value(results[i], "output " + std::to_string(i));
      const int32_t wanted = run->outputs[i].dtype;
      if (wanted != OG_ANY && value.abi().dtype != wanted)
        throw Error(ErrorCode::kPlugin, "output " + std::to_string(i) + " must be " + dtype_name(wanted) +
                                            ", the kernel returned " + dtype_name(value.abi().dtype));
      og_value* target = engine.output(run, index, value.dims().data(), static_cast<int>(value.dims().size()));
      if (value.abi().kind == OG_STRINGS)
        *static_cast<std::vector<std::string>*>(target->handle) =
            *static_cast<std::vector<std::string>*>(value.abi().handle);
      else if (value.abi().bytes)
        std::memcpy(target->tensor.data, value.abi().tensor.data, value.abi().bytes);
    }
  });
}

struct Spec {
  nb::dict dict;
  nb::object get(const char* key) const { return dict.contains(key) ? nb::object(dict[key]) : nb::none(); }
  std::string text(const char* key) const { return nb::cast<std::string>(dict[key]); }
};

void check(int32_t status) {
  if (status != 0) throw Error(ErrorCode::kPlugin, take_error());
}

void define(const og_host* host, og_registrar* registrar, const Spec& spec) {
  og_op* op = host->op_begin(registrar, spec.text("domain").c_str(), spec.text("name").c_str(),
                             nb::cast<int>(spec.get("since")));
  if (!op) check(1);
  check(host->op_doc(op, spec.text("doc").c_str()));
  for (const char* side : {"inputs", "outputs"})
    for (nb::handle item : spec.get(side)) {
      nb::tuple arg = nb::cast<nb::tuple>(item);  // name, type, flags, min_arity
      const auto add = side[0] == 'i' ? host->op_input : host->op_output;
      check(add(op, nb::cast<std::string>(arg[0]).c_str(), nb::cast<std::string>(arg[1]).c_str(),
                nb::cast<uint32_t>(arg[2]), nb::cast<int>(arg[3]), ""));
    }
  for (nb::handle item : spec.get("types")) {
    nb::tuple constraint = nb::cast<nb::tuple>(item);  // variable, type strings
    const auto names = nb::cast<std::vector<std::string>>(constraint[1]);
    std::vector<const char*> pointers;
    for (const auto& name : names) pointers.push_back(name.c_str());
    check(host->op_types(op, nb::cast<std::string>(constraint[0]).c_str(), pointers.data(),
                         static_cast<int32_t>(pointers.size()), ""));
  }
  for (nb::handle item : spec.get("attributes")) {
    nb::tuple given = nb::cast<nb::tuple>(item);  // name, kind, default or None
    const std::string name = nb::cast<std::string>(given[0]);
    ir::Attribute value;
    value.name = name;
    value.kind = nb::cast<int>(given[1]);
    const bool has_default = !given[2].is_none();
    if (has_default) {
      value = python_attribute(name, given[2]);
      const int kind = nb::cast<int>(given[1]);
      if (kind == OG_ATTR_FLOAT && value.kind == OG_ATTR_INT) value.floats = {static_cast<float>(value.ints[0])};
      if (kind == OG_ATTR_FLOATS && value.kind == OG_ATTR_INTS)
        value.floats.assign(value.ints.begin(), value.ints.end());
      value.kind = kind;
    }
    ir::Node holder;
    holder.attributes.push_back(value);
    const og_node view(holder, nullptr);
    og_attr raw = view.attributes[0];
    if (!has_default) raw.count = -1;
    check(host->op_attr(op, &raw, has_default ? 0 : OG_ATTR_REQUIRED, ""));
  }
  if (!spec.get("infer").is_none()) check(host->op_infer(op, &call_infer, keep(spec.get("infer")), &release_object));
  if (!spec.get("body").is_none())
    check(host->op_body(op, OG_BODY_CONTEXT, &call_graph, keep(spec.get("body")), &release_object));
  for (nb::handle item : spec.get("kernels")) {
    nb::tuple given = nb::cast<nb::tuple>(item);  // backend, [(variable, dtype)], function
    std::vector<std::string> names;
    std::vector<og_type_bind> binds;
    for (nb::handle bound : given[1]) names.push_back(nb::cast<std::string>(nb::cast<nb::tuple>(bound)[0]));
    size_t i = 0;
    for (nb::handle bound : given[1])
      binds.push_back({names[i].empty() ? nullptr : names[i].c_str(), nb::cast<int>(nb::cast<nb::tuple>(bound)[1])}),
          ++i;
    const std::string backend = nb::cast<std::string>(given[0]);
    og_kernel kernel{};
    kernel.size = sizeof(kernel);
    kernel.backend = backend.c_str();
    kernel.types = binds.data();
    kernel.type_count = static_cast<int32_t>(binds.size());
    kernel.flags = OG_KERNEL_CALLING_THREAD;
    kernel.user = keep(given[2]);
    kernel.release = &release_object;
    kernel.run = &call_kernel;
    check(host->op_kernel(op, &kernel));
  }
  for (nb::handle item : spec.get("imports")) {
    nb::tuple given = nb::cast<nb::tuple>(item);  // format, foreign name, versions, function
    check(host->op_import(op, nb::cast<std::string>(given[0]).c_str(), nb::cast<std::string>(given[1]).c_str(),
                          nb::cast<std::string>(given[2]).c_str(), &call_graph, keep(given[3]), &release_object));
  }
  check(host->op_purity(op, nb::cast<bool>(spec.get("pure")) ? OG_PURE : OG_STATEFUL));
}

}  // namespace

void bind_operators(nb::module_& module) {
  // plugin name, version, file, list of operator dictionaries; redefinition from the same file replaces.
  module.def("register_operators",
             [](const std::string& name, const std::string& version, const std::string& file, nb::list specs) {
               register_builtins();
               struct Context {
                 const std::string& name;
                 const std::string& version;
                 nb::list specs;
               } context{name, version, specs};
               const PluginSource source{file, 300, true};
               register_plugin(
                   [](const og_host* host, og_registrar* registrar, void* user) -> int32_t {
                     auto& c = *static_cast<Context*>(user);
                     if (host->plugin(registrar, c.name.c_str(), c.version.c_str(), OG_ABI_LEVEL) != 0) return 1;
                     return guarded([&] {
                       for (nb::handle spec : c.specs) define(host, registrar, Spec{nb::cast<nb::dict>(spec)});
                     });
                   },
                   &context, source);
             });
}

}  // namespace opgraft::python
