// NumPy-style broadcasting: dims with symbols for inference, merged loops for kernels.
//
// Source of the rule: the ONNX specification, "Broadcasting in ONNX" (multidirectional).
#ifndef OPGRAFT_BROADCAST_H_
#define OPGRAFT_BROADCAST_H_

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "opgraft/context.h"

namespace opgraft OG_HIDDEN {

// Dims that a and b broadcast to. A symbol gives way to a number above 1; two different symbols give unknown. Fails
// when two numbers do not fit.
inline Dims broadcast_dims(const Dims& a, const Dims& b) {
  const size_t rank = std::max(a.size(), b.size());
  Dims result(rank);
  for (size_t i = 0; i < rank; ++i) {
    const int64_t da = i < rank - a.size() ? 1 : a[i - (rank - a.size())];
    const int64_t db = i < rank - b.size() ? 1 : b[i - (rank - b.size())];
    if (da == db || db == 1)
      result[i] = da;
    else if (da == 1)
      result[i] = db;
    else if (is_symbol(da) && is_symbol(db))
      result[i] = kUnknown;
    else if (is_symbol(da))
      result[i] = db;
    else if (is_symbol(db))
      result[i] = da;
    else
      fail("shapes " + to_string(a) + " and " + to_string(b) + " cannot be broadcast together");
  }
  return result;
}

// Before opset 7 the second input was broadcast only when attribute `broadcast` said so, and its axes stood from `axis`
// on (at the end by default). Raises such a node by giving the second input axes of size 1 behind its own.
inline void raise_axis_broadcast(Graph& g, int64_t axis) {
  g.node("Shape", {"0"}, {"a_dims"});
  g.node("Shape", {"1"}, {"b_dims"});
  g.node("Size", {"a_dims"}, {"a_rank"});
  g.node("Size", {"b_dims"}, {"b_rank"});
  g.scalar("axis_of_b", axis);
  g.node("Sub", {"a_rank", "axis_of_b"}, {"room"});
  g.scalar("none", int64_t(0));
  g.node("Sub", {"room", "b_rank"}, {"rest"});
  g.node("Max", {"rest", "none"}, {"behind"});
  g.ints("vector", {1});
  g.node("Reshape", {"behind", "vector"}, {"count"});
  g.node("Expand", {"vector", "count"}, {"ones"});
  g.node("Concat", {"b_dims", "ones"}, {"dims"}).attr("axis", 0);
  g.node("Reshape", {"1", "dims"}, {"b"});
  g.node(std::string(g.info().op_type).c_str(), {"0", "b"}, {"0"});
}
inline void raise_old_broadcast(Graph& g) {
  if (g.get("broadcast", 0) && g.has_attr("axis")) return raise_axis_broadcast(g, g.get("axis", int64_t(0)));
  g.node(std::string(g.info().op_type).c_str(), {"0", "1"}, {"0"});
}

// Infers output 0 as the broadcast of all inputs from `first` on.
inline void infer_broadcast(Infer& c, dtype type, int first = 0) {
  Dims dims;
  for (int i = first; i < c.input_count(); ++i) {
    if (!c.has(i)) continue;
    if (!c.ranked(i)) return c.out(0, type);
    dims = i == first ? c.dims(i) : broadcast_dims(dims, c.dims(i));
  }
  c.out(0, type, dims);
}

// A loop nest over the output in which axes that behave alike are merged. `steps[k][axis]`: elements to move in input k
// for one step along the axis (0 where it is broadcast). The last axis is the inner loop.
template <int N>
struct Broadcast {
  std::vector<int64_t> dims;  // outermost first; at least one axis
  std::array<std::vector<int64_t>, N> steps;
  int64_t outer = 1;  // product of all but the last axis
  int64_t inner = 1;

  // Offsets of the inputs at one index over the outer axes.
  std::array<int64_t, N> offsets(int64_t index) const {
    std::array<int64_t, N> result{};
    for (size_t axis = dims.size() - 1; axis-- > 0;) {
      const int64_t position = index % dims[axis];
      index /= dims[axis];
      for (int k = 0; k < N; ++k) result[k] += position * steps[k][axis];
    }
    return result;
  }
};

template <int N>
Broadcast<N> make_broadcast(const std::array<Dims, N>& inputs, const Dims& output) {
  Broadcast<N> loop;
  const size_t rank = output.size();
  std::array<std::vector<int64_t>, N> steps;
  for (int k = 0; k < N; ++k) {
    steps[k].assign(rank, 0);
    int64_t step = 1;
    const size_t lead = rank - inputs[k].size();
    for (size_t i = inputs[k].size(); i-- > 0;) {
      if (inputs[k][i] != 1) steps[k][i + lead] = step;
      step *= inputs[k][i];
    }
  }
  for (size_t axis = 0; axis < rank; ++axis) {
    if (output[axis] == 1) continue;
    bool merge = !loop.dims.empty();
    for (int k = 0; merge && k < N; ++k) merge = loop.steps[k].back() == steps[k][axis] * output[axis];
    if (merge) {
      loop.dims.back() *= output[axis];
      for (int k = 0; k < N; ++k) loop.steps[k].back() = steps[k][axis];
    } else {
      loop.dims.push_back(output[axis]);
      for (int k = 0; k < N; ++k) loop.steps[k].push_back(steps[k][axis]);
    }
  }
  if (loop.dims.empty()) {
    loop.dims.push_back(1);
    for (int k = 0; k < N; ++k) loop.steps[k].push_back(0);
  }
  loop.inner = loop.dims.back();
  for (size_t axis = 0; axis + 1 < loop.dims.size(); ++axis) loop.outer *= loop.dims[axis];
  return loop;
}

// Calls row(offsets of the inputs, offset of the output, count) over all rows, in parallel.
template <int N, class F>
void for_each_row(const Run& r, const Broadcast<N>& loop, F&& row) {
  constexpr int64_t kGrain = 16384;
  if (loop.outer == 1) {
    r.parallel_for(loop.inner, kGrain, [&](int64_t begin, int64_t end) {
      std::array<int64_t, N> offsets{};
      for (int k = 0; k < N; ++k) offsets[k] = begin * loop.steps[k].back();
      row(offsets, begin, end - begin);
    });
    return;
  }
  if (loop.inner == 0) return;
  r.parallel_for(loop.outer, std::max<int64_t>(1, kGrain / loop.inner), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) row(loop.offsets(i), i * loop.inner, loop.inner);
  });
}

}  // namespace OG_HIDDEN
#endif  // OPGRAFT_BROADCAST_H_
