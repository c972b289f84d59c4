// Reductions over axes: definition, old versions and kernels of the Reduce operators from one functor.
//
// A functor has `start<T>()`, `step(T sum, T x)`, `join(T sum, T part)` and `finish(T sum, int64_t count)`, all static.
// Long sums are kept in blocks, so that the error stays small; results do not depend on the number of threads.
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

// Steps that one accumulator takes before it is joined to the next level.
inline constexpr int64_t kReduceSteps = 128;

template <class F, int Lanes, class T>
OG_INLINE T reduce_row(const T* x, int64_t n) {
  T sums[Lanes];
  for (int l = 0; l < Lanes; ++l) sums[l] = F::template start<T>();
  const int64_t whole = n - n % Lanes;
  int64_t i = 0;
  while (i < whole) {
    const int64_t stop = std::min(whole, i + Lanes * kReduceSteps);
    T lanes[Lanes];
    for (int l = 0; l < Lanes; ++l) lanes[l] = F::template start<T>();
    for (; i < stop; i += Lanes)
      for (int l = 0; l < Lanes; ++l) lanes[l] = F::step(lanes[l], x[i + l]);
    for (int l = 0; l < Lanes; ++l) sums[l] = F::join(sums[l], lanes[l]);
  }
  T total = sums[0];
  for (int l = 1; l < Lanes; ++l) total = F::join(total, sums[l]);
  for (; i < n; ++i) total = F::step(total, x[i]);
  return total;
}

template <class F, class T>
OG_INLINE T reduce_short_row(const T* x, int64_t n) {
  T sum = F::template start<T>();
  for (int64_t i = 0; i < n; ++i) sum = F::step(sum, x[i]);
  return sum;
}

// Offsets of all positions over the kept, or the reduced, axes of a shape but one.
class Positions {
 public:
  Positions(const ReduceShape& shape, bool of_reduced, size_t skip) {
    const auto strides = row_major_strides(shape.dims);
    std::vector<size_t> axes;
    for (size_t i = 0; i < shape.dims.size(); ++i)
      if (static_cast<bool>(shape.reduced[i]) == of_reduced && i != skip) axes.push_back(i);
    if (axes.size() == 1) {  // evenly spaced
      count_ = shape.dims[axes[0]];
      step_ = strides[axes[0]];
      return;
    }
    list_.push_back(0);
    for (const size_t axis : axes) {
      std::vector<int64_t> next;
      next.reserve(list_.size() * static_cast<size_t>(shape.dims[axis]));
      for (const int64_t base : list_)
        for (int64_t k = 0; k < shape.dims[axis]; ++k) next.push_back(base + k * strides[axis]);
      list_.swap(next);
    }
    count_ = static_cast<int64_t>(list_.size());
  }
  int64_t count() const { return count_; }
  int64_t operator[](int64_t i) const { return list_.empty() ? i * step_ : list_[static_cast<size_t>(i)]; }

 private:
  int64_t count_ = 0, step_ = 0;
  std::vector<int64_t> list_;
};

// The last axis is reduced: y[o] for o in [begin, end).
template <class F, class T>
void reduce_last(const T* x, T* y, const Positions& outer, const Positions& blocks, int64_t row, int64_t begin,
                 int64_t end) {
  const int64_t count = blocks.count() * row;
  vectorize([&]() OG_SIMD {
    for (int64_t o = begin; o < end; ++o) {
      const T* from = x + outer[o];
      T total = F::template start<T>();
      for (int64_t k = 0; k < blocks.count(); ++k) {
        const T* part = from + blocks[k];
        // Integers may be summed in any order, which the compiler knows. (GCC 12 at -O3 with AVX-512 also drops
        // elements of lanes of int32.)
        if constexpr (std::is_integral_v<T>)
          total = F::join(total, reduce_short_row<F>(part, row));
        else
          total = F::join(total, row >= 128  ? reduce_row<F, 32>(part, row)
                                 : row >= 16 ? reduce_row<F, 8>(part, row)
                                             : reduce_short_row<F>(part, row));
      }
      y[o] = F::finish(total, count);
    }
  });
}

// The last axis stays: one band of at most kBand columns.
inline constexpr int64_t kBand = 1024;
template <class F, class T>
void reduce_band(const T* x, T* y, const Positions& blocks, int64_t n) {
  vectorize([=, &blocks]() OG_SIMD {
    T sums[kBand];
    const int64_t rows = blocks.count();
    for (int64_t first = 0; first < rows; first += kReduceSteps) {
      const int64_t stop = std::min(rows, first + kReduceSteps);
      for (int64_t i = 0; i < n; ++i) sums[i] = F::template start<T>();
      for (int64_t k = first; k < stop; ++k) {
        const T* from = x + blocks[k];
        for (int64_t i = 0; i < n; ++i) sums[i] = F::step(sums[i], from[i]);
      }
      if (first == 0)
        for (int64_t i = 0; i < n; ++i) y[i] = sums[i];
      else
        for (int64_t i = 0; i < n; ++i) y[i] = F::join(y[i], sums[i]);
    }
    for (int64_t i = 0; i < n; ++i) y[i] = F::finish(y[i], rows);
  });
}

// A few long rows, cut into pieces for the threads.
template <class F, class T>
void reduce_in_pieces(const Run& r, const T* x, T* y, const Positions& outer, const Positions& blocks, int64_t row) {
  constexpr int64_t kPiece = 32768;
  const int64_t cuts = (row + kPiece - 1) / kPiece, pieces = cuts * blocks.count();
  std::vector<T> parts(static_cast<size_t>(outer.count() * pieces));
  r.parallel_for(outer.count() * pieces, 1, [&](int64_t begin, int64_t end) {
    for (int64_t item = begin; item < end; ++item) {
      const int64_t piece = item % pieces, first = piece % cuts * kPiece;
      const T* from = x + outer[item / pieces] + blocks[piece / cuts] + first;
      const int64_t n = std::min(kPiece, row - first);
      vectorize([&]() OG_SIMD { parts[static_cast<size_t>(item)] = reduce_row<F, 32>(from, n); });
    }
  });
  for (int64_t o = 0; o < outer.count(); ++o) {
    T total = F::template start<T>();
    for (int64_t k = 0; k < pieces; ++k) total = F::join(total, parts[static_cast<size_t>(o * pieces + k)]);
    y[o] = F::finish(total, blocks.count() * row);
  }
}

template <class F, class T>
void reduce(const Run& r, const T* x, T* y, const ReduceShape& shape) {
  const size_t last = shape.dims.size() - 1;
  const int64_t row = shape.dims[last];
  int64_t outputs = 1, count = 1;
  for (size_t i = 0; i <= last; ++i) (shape.reduced[i] ? count : outputs) *= shape.dims[i];
  if (outputs == 0) return;
  if (count == 0) {
    std::fill(y, y + outputs, F::finish(F::template start<T>(), 0));
    return;
  }
  if (shape.reduced[last]) {
    const Positions outer(shape, false, last + 1), blocks(shape, true, last);
    if (outputs < 8 && row >= 65536) return reduce_in_pieces<F>(r, x, y, outer, blocks, row);
    r.parallel_for(outputs, std::max<int64_t>(1, 16384 / count),
                   [&](int64_t begin, int64_t end) { reduce_last<F>(x, y, outer, blocks, row, begin, end); });
    return;
  }
  const Positions outer(shape, false, last), blocks(shape, true, last + 1);
  const int64_t bands = (row + kBand - 1) / kBand;
  const int64_t work = count * std::min(row, kBand);
  r.parallel_for(outer.count() * bands, std::max<int64_t>(1, 16384 / work), [&](int64_t begin, int64_t end) {
    for (int64_t item = begin; item < end; ++item) {
      const int64_t first = item % bands * kBand;
      reduce_band<F>(x + outer[item / bands] + first, y + item / bands * row + first, blocks,
                     std::min(kBand, row - first));
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

// Signature and inference of a Reduce operator whose axes are an input.
inline Op& describe_reduce(Op& op, const char* doc, const Dtypes& types) {
  return op.doc(doc)
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
}

// The versions before opset `since`, whose axes were an attribute.
inline Op& reduce_axes_attribute_before(Op& op, int since, const Dtypes& types) {
  static Dtypes before;  // for the function below, which is called at once
  before = types;
  return op.version(
      since == 13 ? 11 : 13,
      [](Op& o) {
        o.input("data", "T")
            .output("reduced", "T")
            .attr("keepdims", 1)
            .optional_attr("axes", OG_ATTR_INTS)
            .types("T", before);
      },
      [](Graph& g) {
        const std::string name = g.info().op_type;
        g.opset(18);
        const bool given = g.has_attr("axes");
        if (given) g.ints("list", g.Node::ints("axes"));
        g.node(name.c_str(), {"data", given ? "list" : ""}, {"reduced"}).attr_from("keepdims");
      });
}

// An operator whose axes became an input with opset `axes_input_since`; bool came with opset 20, bfloat16 with 13.
template <class F, class... T>
Op& define_reduce(Op& op, const char* doc, const Dtypes& types, int axes_input_since) {
  describe_reduce(op, doc, types);
  Dtypes before;
  for (const dtype type : types)
    if (type != boolean && (type != bf16 || axes_input_since != 13)) before.push_back(type);
  reduce_axes_attribute_before(op, axes_input_since, before);
  (op.kernel(cpu, dtype_of<T>, &reduce_run<F, T>), ...);
  return op;
}

// Opsets 1 to 27 of an operator that takes floats only since 28: integers were allowed, and computed as real numbers.
inline Op& define_reduce_with_integers(Op& op, const char* doc) {
  describe_reduce(op, doc, types::high_precision).body([](Graph& g) {
    const dtype type = g.dtype(0);
    if (type == any) return false;
    const bool real = is_float(type);
    const std::string name = g.info().op_type;
    if (!real) g.node("Cast", {"data"}, {"number"}).attr("to", int64_t(f64));
    g.node(name.c_str(), {real ? "data" : "number", g.has(1) ? "axes" : ""}, {real ? "reduced" : "result"})
        .attr_from("keepdims")
        .attr_from("noop_with_empty_axes");
    if (!real) g.node("Cast", {"result"}, {"reduced"}).attr("to", int64_t(type));
    return true;
  });
  reduce_axes_attribute_before(op, 18, types::high_precision);
  return op.earlier(11, [](Op& o) { o.types("T", types::high_precision_before_bfloat); }).earlier(1);
}

}  // namespace OG_HIDDEN
#endif  // OPGRAFT_REDUCE_H_
