// Reductions over axes: definition, old versions and kernels of the Reduce operators from one functor.
//
// A functor has `static T start()`, `static T step(T sum, T x)`, `static T finish(T sum, int64_t count)`; sums of float
// are kept in blocks, so that the error stays small.
#ifndef OPGRAFT_REDUCE_H_
#define OPGRAFT_REDUCE_H_

#include "opgraft/axes.h"
#include "opgraft/op.h"
#include "opgraft/pointwise.h"

namespace opgraft OG_HIDDEN {

// The axes a node reduces; nothing = the input is returned as it is.
inline std::optional<std::vector<int64_t>> reduced_axes(const Node& node,
                                                        const std::optional<std::vector<int64_t>>& given,
                                                        int64_t ndim) {
  if (given && !given->empty()) return normalize_axes(*given, ndim);
  if (node.get("noop_with_empty_axes", 0)) return std::nullopt;
  std::vector<int64_t> all;
  for (int64_t axis = 0; axis < ndim; ++axis) all.push_back(axis);
  return all;
}

inline Dims reduced_dims(const Dims& in, const std::vector<int64_t>& axes, bool keep) {
  Dims out;
  for (size_t i = 0; i < in.size(); ++i) {
    const bool reduced = std::find(axes.begin(), axes.end(), static_cast<int64_t>(i)) != axes.end();
    if (!reduced)
      out.push_back(in[i]);
    else if (keep)
      out.push_back(1);
  }
  return out;
}

// Input dims with neighbours merged, and which of them are reduced.
struct ReduceShape {
  Dims dims;
  std::vector<char> reduced;
  ReduceShape(const Dims& in, const std::vector<int64_t>& axes) {
    for (size_t i = 0; i < in.size(); ++i) {
      const bool r = std::find(axes.begin(), axes.end(), static_cast<int64_t>(i)) != axes.end();
      if (in[i] == 1) continue;
      if (!dims.empty() && reduced.back() == static_cast<char>(r))
        dims.back() *= in[i];
      else
        dims.push_back(in[i]), reduced.push_back(static_cast<char>(r));
    }
    if (dims.empty()) dims.push_back(1), reduced.push_back(0);
  }
};

namespace detail {

template <class F, class T>
T reduce_row(const T* x, int64_t n) {
  constexpr int kLanes = 32;
  T lanes[kLanes];
  T total = F::template start<T>();
  vectorize([&]() OG_SIMD {
    if (n >= kLanes) {
      for (int l = 0; l < kLanes; ++l) lanes[l] = F::template start<T>();
      int64_t i = 0;
      for (; i + kLanes <= n; i += kLanes)
        for (int l = 0; l < kLanes; ++l) lanes[l] = F::step(lanes[l], x[i + l]);
      for (; i < n; ++i) total = F::step(total, x[i]);
      for (int l = 0; l < kLanes; ++l) total = F::join(total, lanes[l]);
    } else {
      for (int64_t i = 0; i < n; ++i) total = F::step(total, x[i]);
    }
  });
  return total;
}

// Reduces axis `axis` of the merged shape and goes on with the next reduced one; y holds the accumulators.
template <class F, class T>
void reduce(const Run& r, const T* x, T* y, const ReduceShape& shape) {
  const size_t last = shape.dims.size() - 1;
  int64_t outputs = 1, count = 1;
  for (size_t i = 0; i <= last; ++i) (shape.reduced[i] ? count : outputs) *= shape.dims[i];
  const auto strides = row_major_strides(shape.dims);
  // Offsets of one group of axes, enumerated in order.
  const auto offsets = [&](bool of_reduced, size_t skip) {
    std::vector<int64_t> result{0};
    for (size_t i = 0; i <= last; ++i) {
      if (static_cast<bool>(shape.reduced[i]) != of_reduced || i == skip) continue;
      std::vector<int64_t> next;
      next.reserve(result.size() * static_cast<size_t>(shape.dims[i]));
      for (const int64_t base : result)
        for (int64_t k = 0; k < shape.dims[i]; ++k) next.push_back(base + k * strides[i]);
      result.swap(next);
    }
    return result;
  };
  if (outputs == 0) return;
  if (count == 0) {
    std::fill(y, y + outputs, F::finish(F::template start<T>(), 0));
    return;
  }
  if (shape.reduced[last]) {
    const int64_t row = shape.dims[last];
    const auto outer = offsets(false, last + 1), blocks = offsets(true, last);
    r.parallel_for(outputs, std::max<int64_t>(1, 16384 / count), [&](int64_t begin, int64_t end) {
      for (int64_t o = begin; o < end; ++o) {
        T total = F::template start<T>();
        for (const int64_t block : blocks)
          total = F::join(total, reduce_row<F>(x + outer[static_cast<size_t>(o)] + block, row));
        y[o] = F::finish(total, count);
      }
    });
    return;
  }
  // The last axis stays: whole rows are accumulated.
  const int64_t row = shape.dims[last];
  const auto outer = offsets(false, last), blocks = offsets(true, last + 1);
  const auto rows = static_cast<int64_t>(outer.size());
  const int64_t band = std::max<int64_t>(64, std::min<int64_t>(row, 4096)), bands = (row + band - 1) / band;
  r.parallel_for(rows * bands, std::max<int64_t>(1, 16384 / (count * band)), [&](int64_t begin, int64_t end) {
    for (int64_t item = begin; item < end; ++item) {
      const int64_t first = item % bands * band, n = std::min(band, row - first);
      const T* from = x + outer[static_cast<size_t>(item / bands)] + first;
      T* to = y + item / bands * row + first;
      vectorize([&]() OG_SIMD {
        for (int64_t i = 0; i < n; ++i) to[i] = F::template start<T>();
        for (const int64_t block : blocks)
          for (int64_t i = 0; i < n; ++i) to[i] = F::step(to[i], from[block + i]);
        for (int64_t i = 0; i < n; ++i) to[i] = F::finish(to[i], count);
      });
    }
  });
}

}  // namespace detail

template <class F, class T>
void reduce_run(Run& r) {
  const Tensor x = r.input(0);
  const auto axes = reduced_axes(r, r.has(1) ? std::optional(r.input(1).integers()) : std::nullopt, x.ndim());
  const Dims in = x.shape();
  const bool keep = r.get("keepdims", 1);
  const Tensor y = r.output(0, axes ? reduced_dims(in, *axes, keep) : in);
  const auto shape = axes ? ReduceShape(in, *axes) : ReduceShape(in, {});
  if (!axes && F::kCopyWhenNoop) {
    std::copy(x.data<T>(), x.data<T>() + x.numel(), y.data<T>());
    return;
  }
  detail::reduce<F>(r, x.data<T>(), y.data<T>(), shape);
}

// Definition of a Reduce operator; `axes_input_since`: the opset from which the axes are an input.
template <class F, class... T>
Op& define_reduce(Op& op, const char* doc, const Dtypes& types, int axes_input_since) {
  static const Dtypes* all = nullptr;
  static const Dtypes kept = types;
  all = &kept;
  op.doc(doc)
      .input("data", "T")
      .input("axes", "tensor(int64)", optional)
      .output("reduced", "T")
      .attr("keepdims", 1)
      .attr("noop_with_empty_axes", 0)
      .types("T", types)
      .infer([](Infer& c) {
        const auto given = c.has(1) ? c.known_integers(1) : std::optional(std::vector<int64_t>{});
        const bool keep = c.get("keepdims", 1);
        if (!c.ranked(0)) return c.out(0, c.dtype(0));
        const Dims in = c.dims(0);
        if (!given) return keep ? c.out(0, c.dtype(0), Dims(in.size(), kUnknown)) : c.out(0, c.dtype(0));
        const auto axes = reduced_axes(c, given, c.ndim(0));
        c.out(0, c.dtype(0), axes ? reduced_dims(in, *axes, keep) : in);
      })
      .pure();
  const auto old = [](Op& o) {
    o.input("data", "T")
        .output("reduced", "T")
        .attr("keepdims", 1)
        .optional_attr("axes", OG_ATTR_INTS)
        .types("T", *all);
  };
  op.version(
      axes_input_since,
      [](Op& o) {
        o.input("data", "T")
            .input("axes", "tensor(int64)", optional)
            .output("reduced", "T")
            .attr("keepdims", 1)
            .attr("noop_with_empty_axes", 0)
            .types("T", *all);
      },
      [](Graph& g) {
        const std::string name = g.info().op_type;
        g.node(name.c_str(), {"data", "axes"}, {"reduced"}).attr_from("keepdims").attr_from("noop_with_empty_axes");
      });
  op.version(1, old, [](Graph& g) {
    const std::string name = g.info().op_type;
    const bool given = g.has_attr("axes");
    if (given) g.ints("list", g.Node::ints("axes"));
    g.node(name.c_str(), {"data", given ? "list" : ""}, {"reduced"}).attr_from("keepdims");
  });
  (op.kernel(cpu, dtype_of<T>, &reduce_run<F, T>), ...);
  return op;
}

}  // namespace OG_HIDDEN
#endif  // OPGRAFT_REDUCE_H_
