// Making plans: inference with concrete dims, folding of small integers, views, in-place, arena offsets.
#include "runtime/plan.h"

#include <algorithm>
#include <climits>

#include "base/buffer.h"
#include "base/error.h"
#include "passes/fold.h"
#include "runtime/arena.h"
#include "runtime/session_impl.h"

namespace opgraft {
namespace {

class Planner {
 public:
  Planner(Plan& plan, int threads, const PlanLimits& limits)
      : plan_(plan), program_(plan.program), threads_(threads), limits_(limits) {}

  void run() {
    infer();
    choose_places();
    lay_out();
  }

 private:
  passes::Facts& facts() { return plan_.facts; }
  const ir::Type& type(int value) const { return plan_.facts.types[static_cast<size_t>(value)]; }
  ValuePlace& place(int value) { return plan_.places[static_cast<size_t>(value)]; }
  static uint64_t bytes_of(const ir::Type& type) {
    return dtype_bytes(type.dtype, static_cast<uint64_t>(type.numel()));
  }

  bool known(const ir::Value* value) const { return plan_.facts.constant(value) != nullptr; }

  // Walks the steps, folding what is known, until the end or a late node.
  void infer() {
    passes::InferOptions options;
    options.use_declared = false;
    const passes::FoldLimits fold_limits;
    const int count = static_cast<int>(program_.steps.size());
    plan_.end = count;
    for (int i = plan_.begin; i < count; ++i) {
      const StepDef& step = program_.steps[static_cast<size_t>(i)];
      passes::infer_node(*step.node, *step.view, facts(), options);
      bool folded =
          step.node->op->pure() && std::all_of(step.node->outputs.begin(), step.node->outputs.end(),
                                               [&](const ir::Value* value) { return !value || known(value); });
      if (!folded && passes::foldable(*step.node, facts(), fold_limits))
        folded = passes::fold_node(*step.node, *step.kernel, facts());
      if (folded) continue;
      run_.push_back(i);
      const bool late = std::any_of(step.node->outputs.begin(), step.node->outputs.end(), [&](const ir::Value* value) {
        return value && !(type(value->index).concrete() && type(value->index).kind == OG_TENSOR);
      });
      if (late) {
        plan_.late = true;
        plan_.end = i + 1;
        break;
      }
    }
  }

  // Who makes each value's buffer, and which values share one.
  void choose_places() {
    plan_.places.resize(program_.graph->values.size());
    std::vector<int> alive;
    for (const int i : run_) {
      const StepDef& step = program_.steps[static_cast<size_t>(i)];
      for (const ir::Value* value : step.node->inputs)
        if (value) use(value);
      if (plan_.late && i == plan_.end - 1) break;
      int view = -1;
      for (const auto& [input, output] : step.node->op->alias)
        if (can_view(step, input, output)) view = output;
      for (size_t o = 0; o < step.node->outputs.size(); ++o) {
        const ir::Value* value = step.node->outputs[o];
        if (!value) continue;
        ValuePlace& mine = place(value->index);
        mine.root = value->index;
        mine.place = Place::kArena;
        if (static_cast<int>(o) == view)
          mine = place(step.node->inputs[static_cast<size_t>(alias_input(step, view))]->index);
      }
      if (view >= 0) views_.push_back(i);
    }
    // A buffer that a graph output shares is made outside the arena.
    for (const ir::Value* value : program_.graph->outputs) {
      const ValuePlace& mine = place(value->index);
      if (mine.place == Place::kArena) {
        ValuePlace& root = place(mine.root);
        if (root.place == Place::kArena) {
          root.place = Place::kOutput;
          plan_.heap.push_back(mine.root);
        }
      } else if (mine.place == Place::kNone && !made_later(value)) {
        use(value);
      }
    }
    // Whatever later stretches need must be reachable from here: values of earlier stretches pass through.
    if (plan_.late)
      for (const auto& value : program_.graph->values)
        if (place(value->index).place == Place::kNone &&
            program_.last_use[static_cast<size_t>(value->index)] >= plan_.end && !made_later(value.get()))
          use(value.get());
    int slot = 0;
    for (const int value : plan_.externals) place(value).slot = slot++;
    uint64_t outside = 0;
    for (const int value : plan_.heap) {
      place(value).slot = slot++;
      outside = std::min(outside + allocated_bytes(type(value)), uint64_t(1) << 62);
      check_limit(outside, program_.steps[static_cast<size_t>(program_.producer[static_cast<size_t>(value)])]);
    }
    for (auto& mine : plan_.places)
      if (mine.root >= 0) {
        mine.place = place(mine.root).place;
        mine.slot = place(mine.root).slot;
      }
  }

  bool made_later(const ir::Value* value) const {
    return plan_.late && program_.producer[static_cast<size_t>(value->index)] >= plan_.end - 1;
  }

  void use(const ir::Value* value) {
    ValuePlace& mine = place(value->index);
    if (mine.place != Place::kNone) return;
    mine.root = value->index;
    if (known(value)) {
      mine.place = Place::kConstant;
    } else {
      mine.place = Place::kExternal;
      plan_.externals.push_back(value->index);
    }
  }

  static int alias_input(const StepDef& step, int output) {
    for (const auto& [input, out] : step.node->op->alias)
      if (out == output) return input;
    return -1;
  }

  bool can_view(const StepDef& step, int input, int output) {
    if (static_cast<size_t>(output) >= step.node->outputs.size() ||
        static_cast<size_t>(input) >= step.node->inputs.size())
      return false;
    const ir::Value* from = step.node->inputs[static_cast<size_t>(input)];
    const ir::Value* to = step.node->outputs[static_cast<size_t>(output)];
    if (!from || !to || step.node->outputs.size() != 1) return false;
    const ir::Type& a = type(from->index);
    const ir::Type& b = type(to->index);
    if (!a.concrete() || !b.concrete() || a.kind != OG_TENSOR || a.dtype != b.dtype || bytes_of(a) != bytes_of(b))
      return false;
    // A constant or a value from outside is not handed out as a graph output's buffer without a copy.
    const Place where = place(from->index).place;
    return where == Place::kArena || program_.last_use[static_cast<size_t>(to->index)] != INT_MAX;
  }

  void check_limit(uint64_t bytes, const StepDef& step) const {
    if (bytes <= limits_.bytes) return;
    throw Error(ErrorCode::kLimit, "the planned memory exceeds the limit of " + std::to_string(limits_.bytes) +
                                       " bytes (limits[\"planned_bytes\"]) at " + step.node->describe());
  }

  // Last step of this stretch that needs each root's buffer; INT_MAX when something beyond does.
  void lay_out() {
    std::map<int, int> last;
    for (size_t v = 0; v < plan_.places.size(); ++v) {
      const ValuePlace& mine = plan_.places[v];
      if (mine.place != Place::kArena) continue;
      int use = program_.last_use[v];
      if (use >= plan_.end) use = INT_MAX;
      auto [position, added] = last.emplace(mine.root, use);
      if (!added) position->second = std::max(position->second, use);
    }
    ArenaLayout arena;
    std::map<int, std::vector<int>> dying;  // step -> roots
    std::map<int, uint64_t> size;           // of the buffer a root owns
    std::vector<std::pair<int, uint64_t>> scratch_sizes;
    for (const int i : run_) {
      const StepDef& step = program_.steps[static_cast<size_t>(i)];
      if (plan_.late && i == plan_.end - 1) break;
      const bool view = std::find(views_.begin(), views_.end(), i) != views_.end();
      if (view) {
        free_dying(arena, dying, size, i);
        continue;
      }
      std::vector<int> reused;
      for (size_t o = 0; o < step.node->outputs.size(); ++o) {
        const ir::Value* value = step.node->outputs[o];
        if (!value || place(value->index).place != Place::kArena) continue;
        ValuePlace& mine = place(value->index);
        const uint64_t bytes = bytes_of(type(value->index));
        const int donor = inplace_donor(step, static_cast<int>(o), i, last, reused, size);
        if (donor >= 0) {
          mine.offset = place(donor).offset;
          size[value->index] = size[donor];
          reused.push_back(donor);
          auto& list = dying[i];
          list.erase(std::remove(list.begin(), list.end(), donor), list.end());
        } else {
          check_limit(bytes, step);
          mine.offset = arena.take(bytes);
          size[value->index] = bytes;
        }
        const int end = std::max(last.at(value->index), i);
        if (end != INT_MAX) dying[end].push_back(value->index);
      }
      PlannedStep planned;
      planned.step = i;
      describe_args(step, planned);
      planned.prepared = prepare_step(step, planned);
      if (planned.prepared.scratch) {
        check_limit(planned.prepared.scratch, step);
        planned.scratch_offset = arena.take(planned.prepared.scratch);
        arena.give(planned.scratch_offset, planned.prepared.scratch);
      }
      plan_.steps.push_back(std::move(planned));
      free_dying(arena, dying, size, i);
      check_limit(arena.size(), step);
    }
    for (auto& mine : plan_.places)
      if (mine.place == Place::kArena && mine.root >= 0) mine.offset = place(mine.root).offset;
    if (plan_.late) {
      PlannedStep planned;
      planned.step = plan_.end - 1;
      describe_args(program_.steps[static_cast<size_t>(planned.step)], planned);
      plan_.steps.push_back(std::move(planned));
    }
    plan_.arena_bytes = arena.size();
  }

  void free_dying(ArenaLayout& arena, std::map<int, std::vector<int>>& dying, std::map<int, uint64_t>& size, int step) {
    while (!dying.empty() && dying.begin()->first <= step) {
      for (const int root : dying.begin()->second) arena.give(place(root).offset, size.at(root));
      dying.erase(dying.begin());
    }
  }

  // The input whose buffer this output may overwrite: declared, same size, used here for the last time.
  int inplace_donor(const StepDef& step, int output, int index, const std::map<int, int>& last,
                    const std::vector<int>& reused, const std::map<int, uint64_t>& size) {
    for (const auto& [in, out] : step.node->op->inplace) {
      if (out != output || static_cast<size_t>(in) >= step.node->inputs.size()) continue;
      const ir::Value* from = step.node->inputs[static_cast<size_t>(in)];
      if (!from || place(from->index).place != Place::kArena) continue;
      const int root = place(from->index).root;
      const auto use = last.find(root);
      if (use == last.end() || use->second != index || !size.count(root)) continue;
      if (std::find(reused.begin(), reused.end(), root) != reused.end()) continue;
      if (bytes_of(type(from->index)) != bytes_of(type(step.node->outputs[static_cast<size_t>(output)]->index)))
        continue;
      // No other input of this node may share the buffer.
      int readers = 0;
      for (const ir::Value* other : step.node->inputs)
        if (other && place(other->index).root == root && place(other->index).place == Place::kArena) ++readers;
      if (readers != 1) continue;
      return root;
    }
    return -1;
  }

  void describe_args(const StepDef& step, PlannedStep& planned) {
    planned.first_arg = static_cast<int>(plan_.args.size());
    planned.input_count = static_cast<int>(step.node->inputs.size());
    planned.output_count = static_cast<int>(step.node->outputs.size());
    const auto add = [&](const ir::Value* value) {
      og_value arg{};
      arg.size = sizeof(arg);
      if (value) {
        arg = shape_only(type(value->index));
        const ValuePlace& where = place(value->index);
        if (where.place == Place::kConstant) {
          const og_value whole = ir::to_abi(*facts().constants[static_cast<size_t>(where.root)]);
          arg.tensor.data = whole.tensor.data;
          arg.handle = whole.handle;
          arg.bytes = whole.bytes;
          arg.flags = whole.flags;
        }
      }
      plan_.args.push_back(arg);
      plan_.arg_values.push_back(value ? value->index : -1);
    };
    for (const ir::Value* value : step.node->inputs) add(value);
    for (const ir::Value* value : step.node->outputs) add(value);
  }

  PreparedKernel prepare_step(const StepDef& step, PlannedStep& planned) {
    const auto first = plan_.args.begin() + planned.first_arg;
    const std::vector<og_value> inputs(first, first + planned.input_count);
    const std::vector<og_value> outputs(first + planned.input_count,
                                        first + planned.input_count + planned.output_count);
    planned.flops = kernel_flops(*step.node->op, *step.kernel, inputs, outputs);
    return prepare_kernel(*step.kernel, inputs, outputs, threads_);
  }

  Plan& plan_;
  const Program& program_;
  int threads_;
  const PlanLimits& limits_;
  std::vector<int> run_;    // steps of the stretch that are not folded
  std::vector<int> views_;  // those that only rename a buffer
};

}  // namespace

Plan::Plan(const Program& p, passes::Facts f) : program(p), facts(std::move(f)) {}
Plan::~Plan() = default;

std::unique_ptr<Plan> make_plan(const Program& program, int begin, passes::Facts facts, int threads,
                                const PlanLimits& limits) {
  auto plan = std::make_unique<Plan>(program, std::move(facts));
  plan->begin = begin;
  Planner(*plan, threads, limits).run();
  return plan;
}

}  // namespace opgraft
