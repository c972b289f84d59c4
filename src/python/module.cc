// The binding module opgraft._core: sessions, plug-ins, registry queries. The public API is the Python package around
// it.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/set.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "base/error.h"
#include "base/thread_pool.h"
#include "errors.h"
#include "plugin/plugin.h"
#include "registry/registry.h"
#include "runtime/session.h"
#include "values.h"

namespace opgraft::python {

void bind_operators(nb::module_& module);

namespace {

// A dim for Python: a number, the symbol's name, or None.
nb::object dim_object(const ir::Symbols& symbols, int64_t dim) {
  if (!ir::is_symbol(dim)) return nb::int_(dim);
  if (ir::is_unknown(dim)) return nb::none();
  const std::string text = symbols.text(dim);
  return text.rfind("unk__", 0) == 0 ? nb::none() : nb::object(nb::str(text.c_str()));
}

nb::dict describe(const ir::Symbols& symbols, const ValueInfo& info) {
  nb::dict result;
  result["name"] = info.name;
  result["type"] = ir::onnx_type_string(info.type);
  if (info.type.is_tensor() && info.type.ranked) {
    nb::list shape;
    for (int64_t dim : info.type.dims) shape.append(dim_object(symbols, dim));
    result["shape"] = shape;
  } else {
    result["shape"] = nb::none();
  }
  result["text"] = ir::to_string(info.type, &symbols);
  return result;
}

nb::list describe_all(const ir::Symbols& symbols, const std::vector<ValueInfo>& values) {
  nb::list list;
  for (const auto& value : values) list.append(describe(symbols, value));
  return list;
}

SessionOptions make_options(const nb::dict& given) {
  SessionOptions options;
  for (const auto& [key, value] : given) {
    const std::string name = nb::cast<std::string>(key);
    if (name == "threads")
      options.threads = nb::cast<int>(value);
    else if (name == "optimize")
      options.optimize = nb::cast<bool>(value);
    else if (name == "prefer_bodies")
      options.prefer_bodies = nb::cast<bool>(value);
    else if (name == "profile")
      options.profile = nb::cast<bool>(value);
    else if (name == "allowed_operators") {
      options.has_allowed_operators = true;
      for (nb::handle item : value) options.allowed_operators.insert(nb::cast<std::string>(item));
    } else if (name == "limit_planned_bytes")
      options.limits.planned_bytes = nb::cast<uint64_t>(value);
    else if (name == "limit_converted_bytes")
      options.limits.converted_bytes = nb::cast<uint64_t>(value);
    else
      throw Error(ErrorCode::kInvalidArgument, "unknown session option \"" + name + "\"");
  }
  return options;
}

// Calls from_path or from_bytes without the interpreter lock. Constants point into the bytes, which therefore live as
// long as the owner that is given along.
template <class Path, class Bytes>
void with_source(nb::handle source, Path from_path, Bytes from_bytes) {
  if (nb::isinstance<nb::str>(source)) {
    const std::string path = nb::cast<std::string>(source);
    const nb::gil_scoped_release release;
    from_path(path);
    return;
  }
  auto* buffer = new Py_buffer{};
  if (PyObject_GetBuffer(source.ptr(), buffer, PyBUF_SIMPLE) != 0) {
    delete buffer;
    throw nb::python_error();
  }
  std::shared_ptr<const void> owner(buffer, [](Py_buffer* held) {
    const nb::gil_scoped_acquire lock;
    PyBuffer_Release(held);
    delete held;
  });
  const nb::gil_scoped_release release;
  from_bytes(std::move(owner), buffer->buf, static_cast<size_t>(buffer->len));
}

struct PySession {
  std::shared_ptr<const Model> model;
  std::unique_ptr<Session> session;

  PySession(nb::handle source, const nb::dict& given) {
    const SessionOptions options = make_options(given);
    with_source(
        source, [&](const std::string& path) { model = Model::load_file(path, options); },
        [&](std::shared_ptr<const void> owner, const void* data, size_t size) {
          model = Model::load_bytes(std::move(owner), data, size, "bytes", options);
        });
    const nb::gil_scoped_release release;
    session = std::make_unique<Session>(model, options);
  }
  ~PySession() {
    const nb::gil_scoped_release release;  // operators written in Python take it when they are released
    session.reset();
    model.reset();
  }

  nb::list run(const std::vector<std::string>& output_names, const nb::dict& feeds) {
    std::vector<std::pair<std::string, RuntimeValue>> values;
    std::string problems;
    for (const auto& [key, value] : feeds) {
      std::string name = nb::cast<std::string>(key);
      try {
        RuntimeValue converted = value.is_none() ? RuntimeValue() : to_value(value, "input \"" + name + "\"");
        values.emplace_back(std::move(name), std::move(converted));
      } catch (const Error& error) {
        problems += std::string("\n  - ") + error.what();
      }
    }
    if (!problems.empty())
      throw Error(ErrorCode::kInvalidArgument, model->ir().source + ": wrong arguments of run:" + problems);
    std::vector<RuntimeValue> outputs;
    {
      const nb::gil_scoped_release release;
      outputs = session->run(output_names, values);
    }
    nb::list result;
    for (const auto& output : outputs) result.append(to_python(output));
    return result;
  }
};

nb::dict plugin_dict(const PluginInfo& info) {
  nb::dict result;
  result["name"] = info.name;
  result["version"] = info.version;
  result["file"] = info.file;
  result["abi_level"] = info.abi_level;
  result["operators"] = info.operator_count;
  return result;
}

nb::list args_list(const std::vector<ArgDef>& args) {
  nb::list list;
  for (const auto& arg : args) {
    nb::dict item;
    item["name"] = arg.name;
    item["type"] = arg.type;
    item["optional"] = arg.optional();
    item["variadic"] = arg.variadic();
    if (arg.variadic()) item["min_arity"] = arg.min_arity;
    list.append(item);
  }
  return list;
}

nb::object default_object(const ir::Attribute& value) {
  switch (value.kind) {
    case OG_ATTR_INT:
      return nb::int_(value.ints.at(0));
    case OG_ATTR_FLOAT:
      return nb::float_(value.floats.at(0));
    case OG_ATTR_STRING:
      return nb::str(value.strings.at(0).c_str());
    case OG_ATTR_INTS:
      return nb::cast(value.ints);
    case OG_ATTR_FLOATS:
      return nb::cast(value.floats);
    case OG_ATTR_STRINGS:
      return nb::cast(value.strings);
    default:
      return nb::none();
  }
}

// What a version of an operator looks like, into `result`.
void add_signature(nb::dict& result, const Signature& signature) {
  result["since_version"] = signature.since_version;
  result["inputs"] = args_list(signature.inputs);
  result["outputs"] = args_list(signature.outputs);
  nb::list attributes;
  for (const auto& attribute : signature.attributes) {
    nb::dict item;
    item["name"] = attribute.value.name;
    item["kind"] = attribute.value.kind;
    item["required"] = attribute.required;
    item["default"] = attribute.has_default ? default_object(attribute.value) : nb::none();
    attributes.append(item);
  }
  result["attributes"] = attributes;
  nb::dict types;
  for (const auto& constraint : signature.constraints) types[constraint.variable.c_str()] = nb::cast(constraint.types);
  result["types"] = types;
}

nb::dict operator_dict(const OpDef& op, const Registry& registry) {
  nb::dict result;
  result["name"] = op.name;
  result["domain"] = op.domain;
  result["doc"] = op.signature.doc;
  result["plugin"] = op.plugin;
  result["plugin_file"] = op.plugin_file;
  add_signature(result, op.signature);
  nb::list old_versions;
  for (const auto& old : op.old_versions) {
    nb::dict item;
    add_signature(item, old.signature);
    old_versions.append(item);
  }
  result["old_versions"] = old_versions;
  result["has_body"] = static_cast<bool>(op.body);
  result["has_lowering"] = static_cast<bool>(op.lower);
  result["has_infer"] = static_cast<bool>(op.infer);
  result["purity"] = op.purity == OG_PURE ? "pure" : op.purity == OG_RANDOM ? "random" : "stateful";
  nb::list kernels;
  for (const KernelDef* kernel : registry.kernels(op, "cpu")) {
    nb::dict item;
    nb::dict bound;
    for (const auto& [variable, dtype] : kernel->types) bound[variable.c_str()] = dtype_name(dtype);
    item["backend"] = kernel->backend;
    item["plugin"] = kernel->plugin;
    item["priority"] = kernel->priority;
    item["types"] = bound;
    kernels.append(item);
  }
  result["kernels"] = kernels;
  return result;
}

}  // namespace

NB_MODULE(_core, module) {
  nb::set_leak_warnings(false);
  bind_errors(module);

  nb::class_<PySession>(module, "Session")
      .def(nb::init<nb::handle, const nb::dict&>())
      .def("run", &PySession::run)
      .def("inputs", [](const PySession& s) { return describe_all(s.model->ir().symbols, s.model->inputs()); })
      .def("overridable_initializers",
           [](const PySession& s) { return describe_all(s.model->ir().symbols, s.model->overridable_initializers()); })
      .def("outputs", [](const PySession& s) { return describe_all(s.model->ir().symbols, s.model->outputs()); })
      .def("placement", [](const PySession& s) { return s.model->placement_report(); })
      .def("graph_text", [](const PySession& s) { return ir::print(s.model->ir().graph, &s.model->ir().symbols); })
      .def("memory",
           [](const PySession& s) {
             nb::dict result;
             result["packed_bytes"] = s.model->packed_bytes();
             result["arena_bytes"] = s.session->arena_bytes();
             return result;
           })
      .def("metadata",
           [](const PySession& s) {
             const ir::Model& model = s.model->ir();
             nb::dict custom;
             for (const auto& [key, value] : model.metadata) custom[key.c_str()] = value;
             nb::dict result;
             result["custom_metadata_map"] = custom;
             result["description"] = model.doc;
             result["domain"] = model.domain;
             result["graph_name"] = model.graph_name;
             result["producer_name"] = model.producer_name;
             result["version"] = model.model_version;
             return result;
           })
      .def("take_profile", [](PySession& s) {
        nb::list list;
        for (const auto& event : s.session->take_profile()) {
          nb::dict item;
          item["node"] = event.node;
          item["op_type"] = event.op_type;
          item["plugin"] = event.plugin;
          item["start_ns"] = event.start_ns;
          item["duration_ns"] = event.duration_ns;
          item["flops"] = event.flops;
          list.append(item);
        }
        return list;
      });

  module.def("infer_types", [](nb::handle source, const nb::dict& given) {
    const SessionOptions options = make_options(given);
    InferredTypes types;
    with_source(
        source, [&](const std::string& path) { types = infer_types_file(path, options); },
        [&](std::shared_ptr<const void> owner, const void* data, size_t size) {
          types = infer_types_bytes(std::move(owner), data, size, "bytes", options);
        });
    return describe_all(types.symbols, types.values);
  });
  module.def("load_plugin", [](const std::string& path) {
    register_builtins();
    const nb::gil_scoped_release release;
    plugin::load_any(path);
  });
  module.def("collect_loaded", [] {
    register_builtins();
    const nb::gil_scoped_release release;
    plugin::collect_loaded();
  });
  module.def("load_installed", [] {
    register_builtins();
    const nb::gil_scoped_release release;
    plugin::load_environment();
    plugin::collect_loaded();
    plugin::load_installed();
  });
  module.def("set_finders", [](nb::object installed, nb::object script) {
    // Kept for the life of the process: the engine may call them until its end.
    auto* finder = new nb::object(installed);
    auto* loader = new nb::object(script);
    plugin::set_installed_finder([finder] {
      const nb::gil_scoped_acquire lock;
      return nb::cast<std::string>((*finder)());
    });
    plugin::set_script_loader([loader](const std::string& path) {
      const nb::gil_scoped_acquire lock;
      try {
        (*loader)(path);
      } catch (nb::python_error& error) {
        throw Error(ErrorCode::kPlugin, "plug-in " + path + " failed: " + error.what());
      }
    });
  });
  module.def("plugins", [] {
    register_builtins();
    nb::list list;
    for (const auto& info : Registry::current()->plugins()) list.append(plugin_dict(info));
    return list;
  });
  module.def("operators", [] {
    register_builtins();
    const auto registry = Registry::current();
    nb::list list;
    for (const OpDef* op : registry->operators()) list.append(operator_dict(*op, *registry));
    return list;
  });
  module.def("imports", [] {
    register_builtins();
    const auto registry = Registry::current();
    nb::list list;
    for (const ImportDef* import : registry->imports()) {
      nb::dict item;
      item["format"] = import->format;
      item["name"] = import->foreign_name;
      item["first_version"] = import->first_version;
      item["last_version"] =
          import->last_version == INT32_MAX ? nb::none() : nb::object(nb::int_(import->last_version));
      item["operator"] = import->op->qualified_name();
      item["plugin"] = import->plugin;
      list.append(item);
    }
    return list;
  });
  module.def("cpu_level", [] { return cpu_level(); });
  module.def("available_processors", &available_processors);
  bind_operators(module);
}

}  // namespace opgraft::python
