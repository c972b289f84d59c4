// What the operators of ai.onnx.preview.training share: groups of tensors that one step of training changes together.
#ifndef OPGRAFT_OPTIMIZER_H_
#define OPGRAFT_OPTIMIZER_H_

#include <string>
#include <vector>

#include "opgraft/op.h"

namespace opgraft OG_HIDDEN {

// Inputs R, T, then all tensors, all gradients, and all of each kind of state: `kinds` kinds together. Outputs are all
// kinds but the gradients.
inline int optimizer_groups(const og_node_info& info, int kinds) {
  const int given = info.input_count - 2;
  if (given < kinds || given % kinds != 0)
    fail("there are " + std::to_string(given) + " inputs after R and T; they must be " + std::to_string(kinds) +
         " for each tensor");
  const int groups = given / kinds;
  if (info.output_count > groups * (kinds - 1))
    fail("there are " + std::to_string(info.output_count) + " outputs; " + std::to_string(groups) + " tensors have " +
         std::to_string(groups * (kinds - 1)));
  return groups;
}

inline void infer_optimizer(Infer& c, int kinds) {
  const int groups = optimizer_groups(c.info(), kinds);
  for (int i = 0; i < 2; ++i)
    for (const int64_t size : c.dims(i))
      if (is_known(size) && size != 1)
        fail(std::string(i ? "T" : "R") + " must be one number, it has dims " + to_string(c.dims(i)));
  for (int group = 0; group < groups; ++group) {
    const int x = 2 + group;
    Dims dims = c.dims(x);
    bool ranked = c.ranked(x);
    for (int kind = 1; kind < kinds; ++kind) {
      const int i = x + kind * groups;
      if (c.dtype(i) != any && c.dtype(x) != any && c.dtype(i) != c.dtype(x))
        fail("input " + std::to_string(i) + " is " + dtype_name(c.dtype(i)) + ", but its tensor, input " +
             std::to_string(x) + ", is " + dtype_name(c.dtype(x)));
      if (!c.ranked(i)) continue;
      const Dims other = c.dims(i);
      if (!ranked) dims = other, ranked = true;
      bool same = other.size() == dims.size();
      for (size_t d = 0; same && d < dims.size(); ++d) {
        same = !is_known(dims[d]) || !is_known(other[d]) || dims[d] == other[d];
        if (!is_known(dims[d])) dims[d] = dims[d] == kUnknown || is_known(other[d]) ? other[d] : dims[d];
      }
      if (!same)
        fail("input " + std::to_string(i) + " has dims " + to_string(other) + ", but its tensor, input " +
             std::to_string(x) + ", has " + to_string(dims));
    }
    for (int kind = 0; kind < kinds - 1; ++kind) {
      const int output = group + kind * groups;
      if (output >= c.output_count()) continue;
      if (ranked)
        c.out(output, c.dtype(x), dims);
      else
        c.out(output, c.dtype(x));
    }
  }
}

// The graph of one step, tensor by tensor.
class OptimizerBody {
 public:
  OptimizerBody(Graph& g, int kinds) : g_(g), groups_(optimizer_groups(g.info(), kinds)) {}
  int groups() const { return groups_; }
  // Types are known, so that constants can be made.
  bool ready() const {
    for (int i = 0; i < groups_; ++i)
      if (g_.dtype(2 + i) == any) return false;
    return true;
  }

  // The learning rate ("rate") and the count of updates ("count") as scalars of double; the rules that follow make of
  // them what `step_size` names.
  void begin() {
    g_.constant("scalar", std::vector<int64_t>{});
    g_.node("Reshape", {"R", "scalar"}, {"one_rate"});
    g_.node("Reshape", {"T", "scalar"}, {"one_count"});
    g_.node("Cast", {"one_rate"}, {"rate"}).attr("to", static_cast<int64_t>(f64));
    g_.node("Cast", {"one_count"}, {"count"}).attr("to", static_cast<int64_t>(f64));
  }
  void number(const char* name, double value) { g_.scalar(name, value); }
  void compute(const char* op, const std::vector<std::string>& inputs, const std::string& output) {
    g_.node(op, inputs, {output});
  }

  // ---- Of one tensor: names get its number ----
  void enter(int group) { group_ = group; }
  std::string input(int kind) const { return "inputs" + std::to_string(group_ + kind * groups_); }
  std::string output(int kind) const { return "outputs" + std::to_string(group_ + kind * groups_); }
  std::string own(const std::string& name) const { return name + "_of_" + std::to_string(group_); }
  // A constant of the tensor's type.
  std::string constant(const char* name, double value) {
    const std::string full = own(name);
    g_.scalar_like(full.c_str(), value, 2 + group_);
    return full;
  }
  // A scalar of double in the tensor's type.
  std::string narrow(const char* name) {
    const std::string full = own(name);
    g_.node("Cast", {name}, {full}).attr("to", static_cast<int64_t>(g_.dtype(2 + group_)));
    return full;
  }
  std::string make(const char* op, const std::vector<std::string>& inputs, const char* name) {
    const std::string full = own(name);
    g_.node(op, inputs, {full});
    return full;
  }
  // The gradient with that of the penalty norm_coefficient / 2 * |X|^2.
  std::string gradient() {
    const float coefficient = g_.get("norm_coefficient", 0.0f);
    if (coefficient == 0.0f) return input(1);
    const std::string penalty =
        make("Mul", {constant("norm_coefficient", static_cast<double>(coefficient)), input(0)}, "penalty");
    return make("Add", {penalty, input(1)}, "gradient");
  }

 private:
  Graph& g_;
  int groups_ = 0, group_ = 0;
};

}  // namespace OG_HIDDEN
#endif  // OPGRAFT_OPTIMIZER_H_
