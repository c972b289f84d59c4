// Source compatibility: onnx's OpSchema and its registration, on opgraft's boundary. First form (see
// docs/onnx_sources.md).
//
// RegisterSchema only links the schema into a list of this library; the entry symbol, defined here, hands the list to
// the engine. Static initialisers therefore work whether the engine is loaded before, after, or never.
#ifndef OPGRAFT_COMPAT_ONNX_DEFS_SCHEMA_H_
#define OPGRAFT_COMPAT_ONNX_DEFS_SCHEMA_H_

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "onnx/onnx_pb.h"
#include "opgraft/context.h"

namespace ONNX_NAMESPACE __attribute__((visibility("hidden"))) {

  class OpSchema;

  struct InferenceError : std::runtime_error {
    using std::runtime_error::runtime_error;
  };
#define fail_type_inference(...) throw ::ONNX_NAMESPACE::InferenceError("type inference failed")
#define fail_shape_inference(...) throw ::ONNX_NAMESPACE::InferenceError("shape inference failed")

  namespace compat {
  inline AttributeProto convert(const og_attr& attr) {
    AttributeProto result;
    result.type_ = static_cast<AttributeProto::AttributeType>(attr.kind);
    result.name_ = attr.name;
    if (attr.kind == OG_ATTR_INT || attr.kind == OG_ATTR_INTS) result.ints_.assign(attr.ints, attr.ints + attr.count);
    if (attr.kind == OG_ATTR_FLOAT || attr.kind == OG_ATTR_FLOATS)
      result.floats_.assign(attr.floats, attr.floats + attr.count);
    if (attr.kind == OG_ATTR_STRING || attr.kind == OG_ATTR_STRINGS)
      for (int64_t i = 0; i < attr.count; ++i)
        result.strings_.emplace_back(attr.strings[i].data, attr.strings[i].length);
    return result;
  }

  inline TypeProto convert(const og_type& type) {
    TypeProto result;
    if (type.dtype == OG_ANY) return result;
    result.mutable_tensor_type()->set_elem_type(type.dtype);
    if (type.ndim < 0) return result;
    TensorShapeProto* shape = result.mutable_tensor_type()->mutable_shape();
    for (int i = 0; i < type.ndim; ++i) {
      auto* dim = shape->add_dim();
      if (opgraft::is_symbol(type.dims[i]))
        dim->set_symbol(type.dims[i]);
      else
        dim->set_dim_value(type.dims[i]);
    }
    return result;
  }

  // Attributes are converted when they are asked for and kept as long as the context.
  class Attributes {
   public:
    explicit Attributes(const og_node* node) : node_(node) {}
    const AttributeProto* get(const std::string& name) const {
      for (const auto& known : kept_)
        if (known->name() == name) return known.get();
      const auto attr = node_.find(name.c_str());
      if (!attr) return nullptr;
      kept_.push_back(std::make_unique<AttributeProto>(convert(*attr)));
      return kept_.back().get();
    }
    og_node_info info() const { return node_.info(); }

   private:
    opgraft::Node node_;
    mutable std::vector<std::unique_ptr<AttributeProto>> kept_;
  };
  }  // namespace compat

  class InferenceContext {
   public:
    explicit InferenceContext(og_infer* raw) : raw_(raw), attributes_(opgraft::detail::host->infer_node(raw)) {
      const og_node_info info = attributes_.info();
      for (int i = 0; i < info.input_count; ++i) {
        og_type type{};
        type.size = sizeof(type);
        present_.push_back(opgraft::detail::host->infer_input_type(raw, i, &type) != 0);
        inputs_.push_back(present_.back() ? compat::convert(type) : TypeProto());
      }
      outputs_.resize(static_cast<size_t>(info.output_count));
    }
    const AttributeProto* getAttribute(const std::string& name) const { return attributes_.get(name); }
    size_t getNumInputs() const { return inputs_.size(); }
    size_t getNumOutputs() const { return outputs_.size(); }
    const TypeProto* getInputType(size_t index) const {
      return index < inputs_.size() && present_[index] && inputs_[index].has_tensor_type() ? &inputs_[index] : nullptr;
    }
    TypeProto* getOutputType(size_t index) {
      if (index >= outputs_.size()) throw InferenceError("there is no output " + std::to_string(index));
      return &outputs_[index];
    }
    // Tells the engine what the function wrote.
    void finish() const {
      for (size_t i = 0; i < outputs_.size(); ++i) {
        if (!outputs_[i].has_tensor_type()) continue;
        const auto& tensor = outputs_[i].tensor_type();
        std::vector<int64_t> dims;
        for (int d = 0; d < tensor.shape().dim_size(); ++d) {
          const auto& dim = tensor.shape().dim(d);
          dims.push_back(dim.has_dim_value() ? dim.dim_value() : dim.raw() ? dim.raw() : OG_UNKNOWN);
        }
        og_type type{};
        type.size = sizeof(type);
        type.kind = tensor.elem_type() == OG_STRING ? OG_STRINGS : OG_TENSOR;
        type.dtype = tensor.elem_type();
        type.ndim = tensor.has_shape() ? static_cast<int32_t>(dims.size()) : -1;
        type.dims = dims.data();
        opgraft::detail::check(opgraft::detail::host->infer_output(raw_, static_cast<int32_t>(i), &type));
      }
    }

   private:
    og_infer* raw_;
    compat::Attributes attributes_;
    std::vector<bool> present_;
    std::vector<TypeProto> inputs_, outputs_;
  };
  using InferenceFunction = std::function<void(InferenceContext&)>;

  class FunctionBodyBuildContext {
   public:
    explicit FunctionBodyBuildContext(og_graph* raw) : raw_(raw), attributes_(opgraft::detail::host->graph_node(raw)) {
      for (int i = 0; i < attributes_.info().input_count; ++i) {
        og_type type{};
        type.size = sizeof(type);
        inputs_.push_back(opgraft::detail::host->graph_input_type(raw, i, &type) ? compat::convert(type) : TypeProto());
      }
    }
    const AttributeProto* getAttribute(const std::string& name) const { return attributes_.get(name); }
    bool hasInput(int index) const { return static_cast<size_t>(index) < inputs_.size(); }
    bool hasOutput(int index) const { return opgraft::detail::host->graph_has_output(raw_, index) != 0; }
    // Null when the type is not known.
    const TypeProto* getInputType(int index) const {
      return hasInput(index) && inputs_[static_cast<size_t>(index)].has_tensor_type()
                 ? &inputs_[static_cast<size_t>(index)]
                 : nullptr;
    }

   private:
    og_graph* raw_;
    compat::Attributes attributes_;
    std::vector<TypeProto> inputs_;
  };
  using ContextDependentFunctionBodyBuilder =
      std::function<bool(const FunctionBodyBuildContext&, const OpSchema&, FunctionProto&)>;

  class FunctionBodyHelper {
   public:
    struct NodeDef {
      NodeDef(std::vector<std::string> outputs_, std::string op_type_, std::vector<std::string> inputs_,
              std::vector<AttributeProto> attributes_ = {}, std::string domain_ = "")
          : outputs(std::move(outputs_)),
            op_type(std::move(op_type_)),
            inputs(std::move(inputs_)),
            attributes(std::move(attributes_)),
            domain(std::move(domain_)) {}
      std::vector<std::string> outputs;
      std::string op_type;
      std::vector<std::string> inputs;
      std::vector<AttributeProto> attributes;
      std::string domain;
    };
    static std::vector<NodeProto> BuildNodes(const std::vector<NodeDef>& definitions) {
      std::vector<NodeProto> nodes;
      for (const auto& definition : definitions)
        nodes.push_back(
            {definition.outputs, definition.inputs, definition.op_type, definition.domain, definition.attributes});
      return nodes;
    }
    static void BuildNodes(FunctionProto& function, const std::vector<NodeDef>& definitions) {
      for (auto& node : BuildNodes(definitions)) function.node.push_back(std::move(node));
    }
    template <class Relied = int>
    static bool BuildFunctionProto(FunctionProto& function, const OpSchema&, const std::vector<NodeDef>& definitions,
                                   const std::vector<Relied>& = {}) {
      BuildNodes(function, definitions);
      return true;
    }
  };

  class OpSchema {
   public:
    enum FormalParameterOption : uint8_t { Single = 0, Optional = 1, Variadic = 2 };
    enum DifferentiationCategory : uint8_t { Unknown = 0, Differentiable = 1, NonDifferentiable = 2 };
    struct Argument {
      std::string name, type, doc;
      FormalParameterOption option;
      bool homogeneous;
      int min_arity;
    };
    struct AttributeEntry {
      AttributeProto value;
      std::string doc;
      bool required, has_default;
    };
    struct Constraint {
      std::string variable, doc;
      std::vector<std::string> types;
    };

    OpSchema& SetName(std::string name) { return name_ = std::move(name), *this; }
    OpSchema& SetDomain(std::string domain) { return domain_ = std::move(domain), *this; }
    OpSchema& SinceVersion(int version) { return version_ = version, *this; }
    OpSchema& SetDoc(const char* doc) { return doc_ = doc, *this; }
    OpSchema& SetDoc(const std::string& doc) { return doc_ = doc, *this; }
    OpSchema& SetLocation(const char*, int) { return *this; }
    OpSchema& Input(int, std::string name, const std::string& doc, std::string type,
                    FormalParameterOption option = Single, bool homogeneous = true, int min_arity = 1,
                    DifferentiationCategory = Unknown) {
      inputs_.push_back({std::move(name), std::move(type), doc, option, homogeneous, min_arity});
      return *this;
    }
    OpSchema& Output(int, std::string name, const std::string& doc, std::string type,
                     FormalParameterOption option = Single, bool homogeneous = true, int min_arity = 1,
                     DifferentiationCategory = Unknown) {
      outputs_.push_back({std::move(name), std::move(type), doc, option, homogeneous, min_arity});
      return *this;
    }
    OpSchema& Attr(std::string name, std::string doc, AttributeProto::AttributeType type, bool required = true) {
      AttributeProto value;
      value.name_ = std::move(name), value.type_ = type;
      attributes_.push_back({std::move(value), std::move(doc), required, false});
      return *this;
    }
    template <class T>
    OpSchema& Attr(const std::string& name, std::string doc, AttributeProto::AttributeType, const T& value) {
      attributes_.push_back({MakeAttribute(name, value), std::move(doc), false, true});
      return *this;
    }
    OpSchema& TypeConstraint(std::string variable, std::vector<std::string> types, std::string doc) {
      constraints_.push_back({std::move(variable), std::move(doc), std::move(types)});
      return *this;
    }
    OpSchema& TypeAndShapeInferenceFunction(InferenceFunction function) { return infer_ = std::move(function), *this; }
    OpSchema& SetContextDependentFunctionBodyBuilder(ContextDependentFunctionBodyBuilder builder) {
      return builder_ = std::move(builder), *this;
    }
    OpSchema& FunctionBody(const std::vector<NodeProto>& nodes) {
      builder_ = [nodes](const FunctionBodyBuildContext&, const OpSchema&, FunctionProto& function) {
        function.node = nodes;
        return true;
      };
      return *this;
    }
    void BuildFunction(FunctionProto&) const {}
    const std::string& Name() const { return name_; }
    const std::string& domain() const { return domain_; }
    int since_version() const { return version_; }

    void define(const og_host* host, og_registrar* registrar) const;

   private:
    std::string name_, domain_, doc_;
    int version_ = 1;
    std::vector<Argument> inputs_, outputs_;
    std::vector<AttributeEntry> attributes_;
    std::vector<Constraint> constraints_;
    InferenceFunction infer_;
    ContextDependentFunctionBodyBuilder builder_;
  };

  namespace compat {

  inline std::vector<OpSchema>& schemas() {
    static std::vector<OpSchema> list;
    return list;
  }

  inline void add_attribute(og_new_node* node, const AttributeProto& attribute) {
    std::vector<og_string> strings;
    for (const auto& text : attribute.strings()) strings.push_back({text.data(), text.size()});
    og_attr raw{};
    raw.size = sizeof(raw);
    raw.kind = attribute.type();
    raw.name = attribute.name().c_str();
    raw.ints = attribute.ints().data();
    raw.floats = attribute.floats().data();
    raw.strings = strings.data();
    raw.count = static_cast<int64_t>(attribute.ints().size() + attribute.floats().size() + strings.size());
    opgraft::detail::check(opgraft::detail::host->graph_attr(node, &raw));
  }

  inline int32_t build(void* user, og_graph* raw, const ContextDependentFunctionBodyBuilder& builder) {
    bool built = false;
    const int32_t status = opgraft::detail::guard([&] {
      const FunctionBodyBuildContext context(raw);
      FunctionProto function;
      built = builder(context, *static_cast<const OpSchema*>(user), function);
      if (!built) return;
      for (const auto& node : function.node) {
        std::vector<const char*> inputs, outputs;
        for (const auto& name : node.input) inputs.push_back(name.c_str());
        for (const auto& name : node.output) outputs.push_back(name.c_str());
        og_new_node* made = opgraft::detail::host->graph_add(raw, node.domain.c_str(), node.op_type.c_str(),
                                                             inputs.data(), static_cast<int32_t>(inputs.size()),
                                                             outputs.data(), static_cast<int32_t>(outputs.size()));
        if (!made) opgraft::detail::check(1);
        for (const auto& attribute : node.attribute) add_attribute(made, attribute);
      }
    });
    return status ? status : built ? 0 : int32_t(OG_NOT_YET);
  }

  }  // namespace compat

  inline void OpSchema::define(const og_host* host, og_registrar* registrar) const {
    using opgraft::detail::check;
    og_op* op = host->op_begin(registrar, domain_.c_str(), name_.c_str(), version_);
    if (!op) check(1);
    check(host->op_doc(op, doc_.c_str()));
    for (const auto* list : {&inputs_, &outputs_})
      for (const auto& argument : *list) {
        const uint32_t flags =
            static_cast<uint32_t>(argument.option) | (argument.homogeneous ? 0u : uint32_t(OG_HETEROGENEOUS_ARG));
        const auto add = list == &inputs_ ? host->op_input : host->op_output;
        check(add(op, argument.name.c_str(), argument.type.c_str(), flags, argument.min_arity, argument.doc.c_str()));
      }
    for (const auto& constraint : constraints_) {
      std::vector<const char*> names;
      for (const auto& type : constraint.types) names.push_back(type.c_str());
      check(host->op_types(op, constraint.variable.c_str(), names.data(), static_cast<int32_t>(names.size()),
                           constraint.doc.c_str()));
    }
    for (const auto& attribute : attributes_) {
      og_attr raw{};
      std::vector<og_string> strings;
      for (const auto& text : attribute.value.strings()) strings.push_back({text.data(), text.size()});
      raw.size = sizeof(raw);
      raw.kind = attribute.value.type();
      raw.name = attribute.value.name().c_str();
      raw.ints = attribute.value.ints().data();
      raw.floats = attribute.value.floats().data();
      raw.strings = strings.data();
      raw.count =
          attribute.has_default
              ? static_cast<int64_t>(attribute.value.ints().size() + attribute.value.floats().size() + strings.size())
              : -1;
      check(host->op_attr(op, &raw, attribute.required ? OG_ATTR_REQUIRED : 0, attribute.doc.c_str()));
    }
    void* self = const_cast<OpSchema*>(this);  // lives in the library's list
    if (infer_)
      check(host->op_infer(
          op,
          [](void* user, og_infer* raw) {
            return opgraft::detail::guard([&] {
              InferenceContext context(raw);
              static_cast<OpSchema*>(user)->infer_(context);
              context.finish();
            });
          },
          self, nullptr));
    if (builder_)
      check(host->op_body(
          op, OG_BODY_CONTEXT,
          [](void* user, og_graph* raw) { return compat::build(user, raw, static_cast<OpSchema*>(user)->builder_); },
          self, nullptr));
  }

  class OpSchemaRegistry {
   public:
    class DomainToVersionRange {
     public:
      static DomainToVersionRange& Instance() {
        static DomainToVersionRange instance;
        return instance;
      }
      // A model's opset_import is checked against since_version; ranges need no table.
      void AddDomainToVersion(const std::string&, int, int, int = -1) {}
    };
  };

  inline void RegisterSchema(const OpSchema& schema, int = 0, bool = true, bool = false) {
    compat::schemas().push_back(schema);
  }

  template <class T>
  OpSchema GetOpSchema();

#define ONNX_OPERATOR_SET_SCHEMA_CLASS_NAME(domain, ver, name) domain##_##name##_ver##ver
#define ONNX_OPERATOR_SET_SCHEMA_EX(name, domain, domain_str, ver, dbg_included_in_static_opset, impl)  \
  class ONNX_OPERATOR_SET_SCHEMA_CLASS_NAME(domain, ver, name);                                         \
  template <>                                                                                           \
  OpSchema GetOpSchema<ONNX_OPERATOR_SET_SCHEMA_CLASS_NAME(domain, ver, name)>() {                      \
    return impl.SetName(#name).SetDomain(domain_str).SinceVersion(ver).SetLocation(__FILE__, __LINE__); \
  }

  namespace compat {
  inline int32_t enter(const og_host* host, og_registrar* registrar) {
    opgraft::detail::host = host;
    const std::string name = schemas().empty() ? std::string("onnx-schemas") : "onnx-schemas." + schemas()[0].domain();
    if (host->plugin(registrar, name.c_str(), "1.0", OG_ABI_LEVEL) != 0) return 1;
    return opgraft::detail::guard([&] {
      for (const auto& schema : schemas()) schema.define(host, registrar);
    });
  }
  }  // namespace compat

}  // namespace ONNX_NAMESPACE

extern "C" __attribute__((visibility("default"), weak)) int32_t opgraft_plugin_v1(const og_host* host,
                                                                                  og_registrar* registrar) {
  return ::ONNX_NAMESPACE::compat::enter(host, registrar);
}

#endif  // OPGRAFT_COMPAT_ONNX_DEFS_SCHEMA_H_
