// ModelProto: what stands at the top of an ONNX file.
#include "formats/onnx/reader.h"

#include <climits>
#include <new>
#include <set>

#include "formats/onnx/attribute_reader.h"
#include "formats/onnx/fields.h"
#include "formats/onnx/graph_reader.h"
#include "formats/onnx/sniff.h"

namespace opgraft::formats {
namespace onnx {
namespace {

using protobuf::as_bytes;
using protobuf::as_varint;
using Views = std::vector<std::string_view>;
using Opsets = std::map<std::string, int>;

struct Parts {
  Views graphs, functions, opsets, metadata;
};

void split_model(Context& context, std::string_view bytes, Parts* parts) {
  ir::Model& model = *context.model;
  Message message = context.message(bytes);
  const auto text = [&] {
    const std::string_view view = message.bytes();
    context.spend(3 * view.size());
    return to_utf8(view);
  };
  const auto add = [&](Views* views) {
    context.spend(sizeof(std::string_view));
    views->push_back(message.bytes());
  };
  while (const uint32_t label = message.next()) {
    switch (label) {
      case as_varint(ModelProto::kIrVersion):
        model.ir_version = message.varint();
        break;
      case as_varint(ModelProto::kModelVersion):
        model.model_version = message.varint();
        break;
      case as_bytes(ModelProto::kProducerName):
        model.producer_name = text();
        break;
      case as_bytes(ModelProto::kProducerVersion):
        model.producer_version = text();
        break;
      case as_bytes(ModelProto::kDomain):
        model.domain = text();
        break;
      case as_bytes(ModelProto::kDocString):
        model.doc = text();
        break;
      case as_bytes(ModelProto::kGraph):
        add(&parts->graphs);
        break;
      case as_bytes(ModelProto::kFunctions):
        add(&parts->functions);
        break;
      case as_bytes(ModelProto::kOpsetImport):
        add(&parts->opsets);
        break;
      case as_bytes(ModelProto::kMetadataProps):
        add(&parts->metadata);
        break;
      default:
        message.skip();
    }
  }
}

void read_metadata(Context& context, const Views& entries) {
  for (const auto bytes : entries) {
    Message message = context.message(bytes);
    std::string_view key, value;
    while (const uint32_t label = message.next()) {
      if (label == as_bytes(StringStringEntryProto::kKey))
        key = message.bytes();
      else if (label == as_bytes(StringStringEntryProto::kValue))
        value = message.bytes();
      else
        message.skip();
    }
    context.spend(128 + 3 * (key.size() + value.size()));
    context.model->metadata[to_utf8(key)] = to_utf8(value);
  }
}

void read_opset(Context& context, std::string_view bytes, Opsets* opsets) {
  Message message = context.message(bytes);
  std::string domain;
  int64_t version = 0;
  while (const uint32_t label = message.next()) {
    if (label == as_bytes(OperatorSetIdProto::kDomain))
      domain = canonical_domain(message.bytes());
    else if (label == as_varint(OperatorSetIdProto::kVersion))
      version = message.varint();
    else
      message.skip();
  }
  const std::string shown = quote(domain.empty() ? "ai.onnx" : domain);
  if (version < 1 || version > INT_MAX)
    invalid("opset_import: version " + std::to_string(version) + " of domain " + shown + " does not exist");
  context.spend(128 + domain.size());
  const auto [entry, added] = opsets->emplace(domain, static_cast<int>(version));
  if (!added && entry->second != version)
    invalid("opset_import: domain " + shown + " is imported as version " + std::to_string(entry->second) + " and as " +
            std::to_string(version));
}

void read_opsets(Context& context, const Views& entries, const std::string& where, Opsets* opsets) {
  for (const auto bytes : entries) {
    try {
      read_opset(context, bytes, opsets);
    } catch (const Error& error) {
      context.problem(where, error);
    }
  }
}

ir::Attribute read_default(Context& context, std::string_view bytes, const Opsets& opsets, const Opsets* fallback,
                           const std::string& path) {
  return read_attribute(context, bytes, false, [&](std::string_view graph, const std::string& label) {
    auto result = std::make_shared<ir::Graph>();
    const std::string inner = path + "/" + path_segment(label);
    GraphReader(context, opsets, fallback, false).read(split_graph(context, graph, inner), result.get(), inner);
    return result;
  });
}

void read_function(Context& context, std::string_view bytes, const Opsets& model_opsets) {
  ir::Function function;
  GraphParts parts;
  Views opsets, attributes, defaults;
  const auto add = [&](Views* views, std::string_view view) {
    context.spend(sizeof(view));
    views->push_back(view);
  };
  const auto add_value = [&](std::vector<ValueInfo>* values, std::string_view name) {
    context.spend(sizeof(ValueInfo));
    values->push_back({name, {}});
  };
  Message message = context.message(bytes);
  while (const uint32_t label = message.next()) {
    switch (label) {
      case as_bytes(FunctionProto::kName):
        parts.name = message.bytes();
        break;
      case as_bytes(FunctionProto::kDomain):
        function.domain = canonical_domain(message.bytes());
        break;
      case as_bytes(FunctionProto::kOverload):
        function.overload = checked_name(message.bytes(), "overload");
        break;
      case as_bytes(FunctionProto::kInput):
        add_value(&parts.inputs, message.bytes());
        break;
      case as_bytes(FunctionProto::kOutput):
        add_value(&parts.outputs, message.bytes());
        break;
      case as_bytes(FunctionProto::kNode):
        add(&parts.nodes, message.bytes());
        break;
      case as_bytes(FunctionProto::kValueInfo):
        add(&parts.value_infos, message.bytes());
        break;
      case as_bytes(FunctionProto::kOpsetImport):
        add(&opsets, message.bytes());
        break;
      case as_bytes(FunctionProto::kAttribute):
        add(&attributes, message.bytes());
        break;
      case as_bytes(FunctionProto::kAttributeProto):
        add(&defaults, message.bytes());
        break;
      default:
        message.skip();
    }
  }
  if (parts.name.empty()) invalid("it has no name");
  context.spend(sizeof(ir::Function) + parts.name.size() + function.domain.size());
  function.name = checked_name(parts.name, "function name");
  const std::string path =
      "function " + path_segment((function.domain.empty() ? "" : function.domain + "::") + function.name);
  Opsets own;
  read_opsets(context, opsets, path, &own);
  for (const auto name : attributes) {
    context.spend(sizeof(std::string) + name.size());
    function.attributes.push_back(checked_name(name, "attribute name"));
  }
  for (const auto view : defaults) {
    try {
      function.defaults.push_back(read_default(context, view, own, &model_opsets, path));
    } catch (const Error& error) {
      context.problem(path, error);
    }
  }
  GraphReader(context, own, &model_opsets, true).read(parts, &function.body, path);
  context.model->functions.push_back(std::move(function));
}

void read_functions(Context& context, const Views& functions) {
  std::set<std::string> seen;
  for (size_t i = 0; i < functions.size(); ++i) {
    const std::string where = "function #" + std::to_string(i);
    try {
      read_function(context, functions[i], context.model->graph.opsets);
      const ir::Function& function = context.model->functions.back();
      const std::string full = function.domain + "::" + function.name + ":" + function.overload;
      if (!seen.insert(full).second) invalid("function " + quote(full) + " is there twice");
    } catch (const Error& error) {
      context.problem(where, error);
    }
  }
}

void read_model(Context& context, std::string_view bytes) {
  ir::Model& model = *context.model;
  Parts parts;
  const auto not_a_model = [&](const std::string& reason) {
    const std::string look = looks_like(bytes);
    invalid("it is not an ONNX model" + (look.empty() ? ": " + reason : ": it looks like " + look));
  };
  try {
    split_model(context, bytes, &parts);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::kLimit) throw;
    const bool begun = model.ir_version > 0 && model.ir_version < 1000;
    if (!begun || !looks_like(bytes).empty()) not_a_model(error.what());
    throw;
  }
  if (parts.graphs.empty()) not_a_model("it has no graph");
  if (parts.graphs.size() > 1) invalid("it has " + std::to_string(parts.graphs.size()) + " graphs; one is expected");
  Opsets& opsets = model.graph.opsets;
  read_opsets(context, parts.opsets, "", &opsets);
  // The first two versions of the format had one operator set.
  if (parts.opsets.empty() && model.ir_version < 3) opsets.emplace("", 1);
  read_metadata(context, parts.metadata);
  const Opsets imported = opsets;
  read_functions(context, parts.functions);
  GraphReader(context, imported, nullptr, false)
      .read(split_graph(context, parts.graphs[0], "graph"), &model.graph, "graph");
  model.graph_name = model.graph.name;
  context.finish();
}

std::unique_ptr<ir::Model> read(Context& context, std::string_view bytes) {
  auto model = std::make_unique<ir::Model>();
  model->format = "onnx";
  model->source = context.source;
  context.model = model.get();
  context.origin = bytes.data();
  const auto fail = [&](ErrorCode code, const std::string& text) { throw Error(code, context.source + ": " + text); };
  try {
    if (bytes.empty()) invalid("it is empty (0 bytes); get the file again");
    if (bytes.size() > context.limits.max_file_bytes)
      throw Error(ErrorCode::kLimit, "it has " + std::to_string(bytes.size()) + " bytes, the limit is " +
                                         std::to_string(context.limits.max_file_bytes));
    read_model(context, bytes);
  } catch (const Stop& stop) {
    fail(stop.error.code(), stop.error.what());
  } catch (const Error& error) {
    fail(error.code(), error.what());
  } catch (const std::bad_alloc&) {
    fail(ErrorCode::kOutOfMemory, "there is not enough memory to read it");
  }
  if (context.owner) model->owners.push_back(context.owner);
  return model;
}

}  // namespace
}  // namespace onnx

std::unique_ptr<ir::Model> read_onnx_file(const std::string& path, const ReadLimits& limits) {
  const MappedFile file = map_file(path);
  onnx::Context context;
  context.owner = file.owner;
  context.source = path;
  context.is_file = true;
  context.limits = limits;
  return onnx::read(context, {file.data, file.size});
}

std::unique_ptr<ir::Model> read_onnx_bytes(std::shared_ptr<const void> owner, const void* data, size_t size,
                                           const std::string& source_name, const ReadLimits& limits) {
  onnx::Context context;
  context.owner = std::move(owner);
  context.source = source_name;
  context.limits = limits;
  return onnx::read(context, {static_cast<const char*>(data), size});
}

}  // namespace opgraft::formats
