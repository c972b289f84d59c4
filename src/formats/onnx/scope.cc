// Definition, look-up and capture of names.
#include "formats/onnx/scope.h"

namespace opgraft::formats::onnx {

namespace {

std::string describe(const char* what, const ir::Node* producer) {
  return producer ? "an output of node " + quote(producer->name) + " (" + path_segment(producer->op_type) + ")" : what;
}

}  // namespace

ir::Value* Scope::define(std::string_view name, int position, const char* what, const ir::Node* producer) {
  const auto found = names_.find(name);
  if (found != names_.end()) {
    const ir::Value& first = *found->second.value;
    invalid("value name " + quote(name) + " is used twice in one graph: " +
            describe(first.is_input ? "a graph input" : "an initializer", first.producer) + ", and " +
            describe(what, producer) + "; rename one of them");
  }
  context_.spend(sizeof(ir::Value) + sizeof(std::pair<std::string_view, Definition>) + 96 + name.size());
  ir::Value* value = graph_.add_value(checked_name(name, "value name"));
  names_.emplace(name, Definition{value, position});
  return value;
}

ir::Value* Scope::define_input(std::string_view name) {
  ir::Value* value = define(name, kBeforeNodes, "a graph input", nullptr);
  value->is_input = true;
  return value;
}

ir::Value* Scope::define_initializer(std::string_view name) {
  return define(name, kBeforeNodes, "an initializer", nullptr);
}

ir::Value* Scope::define_output(std::string_view name, int position, ir::Node* producer) {
  ir::Value* value = define(name, position, "an output", producer);
  value->producer = producer;
  return value;
}

ir::Value* Scope::own(std::string_view name) const {
  const auto found = names_.find(name);
  return found == names_.end() ? nullptr : found->second.value;
}

ir::Value* Scope::resolve(std::string_view name) {
  ir::Value* value = find(name, false);
  return value ? value : find(name, true);
}

ir::Value* Scope::find(std::string_view name, bool defined_later) {
  const auto own = names_.find(name);
  if (own != names_.end()) {
    if (own->second.position < position_) return own->second.value;
    if (defined_later) {
      out_of_order_ = true;
      return own->second.value;
    }
  }
  const auto known = captured_.find(name);
  if (known != captured_.end()) return known->second;
  ir::Value* outer = parent_ ? parent_->find(name, defined_later) : nullptr;
  return outer ? capture(name, outer) : nullptr;
}

ir::Value* Scope::capture(std::string_view name, ir::Value* outer) {
  context_.spend(sizeof(ir::Value) + 256 + name.size());
  const auto [position, added] = node_captures_->emplace(outer, owner_->capture_count);
  if (added) {
    owner_->inputs.push_back(outer);
    ++owner_->capture_count;
  }
  ir::Value* inner = graph_.add_value(outer->name);
  inner->is_capture = true;
  inner->type = outer->type;
  inner->declared = outer->declared;
  if (!outer->is_input) inner->constant = outer->constant;
  graph_.captures.push_back({inner, position->second});
  captured_.emplace(name, inner);
  return inner;
}

}  // namespace opgraft::formats::onnx
