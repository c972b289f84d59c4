// Queries and text of operator signatures.
#include "registry/op_def.h"

namespace opgraft {

const AttrDef* Signature::find_attr(const std::string& name) const {
  for (const auto& attribute : attributes)
    if (attribute.value.name == name) return &attribute;
  return nullptr;
}

static const ArgDef* at(const std::vector<ArgDef>& args, size_t index) {
  if (index < args.size()) return &args[index];
  return !args.empty() && args.back().variadic() ? &args.back() : nullptr;
}

const ArgDef* Signature::input_at(size_t index) const { return at(inputs, index); }
const ArgDef* Signature::output_at(size_t index) const { return at(outputs, index); }

std::vector<std::string> Signature::allowed_types(const std::string& type) const {
  for (const auto& constraint : constraints)
    if (constraint.variable == type) return constraint.types;
  return {type};
}

std::string Signature::text(const std::string& name) const {
  const auto list = [](const std::vector<ArgDef>& args) {
    std::string text = "(";
    for (const auto& arg : args)
      text += (text.size() > 1 ? ", " : "") + arg.name +
              (arg.optional()   ? "?"
               : arg.variadic() ? "..."
                                : "") +
              ": " + arg.type;
    return text + ")";
  };
  return name + list(inputs) + " -> " + list(outputs);
}

}  // namespace opgraft
