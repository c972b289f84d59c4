// Einsum: products of tensors summed over axes that share a letter. Operands are contracted in pairs from the left; a
// pair becomes a batched matrix product over strided views, so that most equations copy nothing.
#include <opgraft/einsum.h>
#include <opgraft/matmul.h>
#include <opgraft/reduce.h>
using namespace opgraft;
using namespace opgraft::einsum;
namespace {

void infer(Infer& c) {
  const int count = c.input_count();
  if (count == 0) fail("Einsum needs at least one input");
  Equation equation = parse(c, count);
  std::vector<int> ranks;
  for (int i = 0; i < count; ++i) ranks.push_back(c.has(i) ? c.ndim(i) : -1);
  if (!resolve(equation, ranks)) return c.out(0, c.dtype(0));
  Sizes sizes;
  for (int i = 0; i < count; ++i)
    if (ranks[static_cast<size_t>(i)] >= 0) sizes.add(equation.operands[static_cast<size_t>(i)], c.dims(i), i);
  Dims dims;
  for (const int label : equation.output) {
    int64_t size = sizes[label];
    for (size_t i = 0; size == 1 && i < ranks.size(); ++i)  // an input of unknown rank may broadcast it
      if (ranks[i] < 0 && contains(equation.operands[i], label)) size = kUnknown;
    dims.push_back(size);
  }
  c.out(0, c.dtype(0), dims);
}

// ---- The plan ----

// Where a tensor is: an input, the output, or scratch from `offset` on.
struct Place {
  enum Kind { input, output, scratch } kind = scratch;
  int index = 0;
  uint64_t offset = 0;
};

// Axes of more than one element with the elements to move for a step along each.
struct View {
  Place place;
  Labels labels;
  std::vector<int64_t> steps;

  int64_t step(int label) const {
    const auto at = std::find(labels.begin(), labels.end(), label);
    return at == labels.end() ? 0 : steps[static_cast<size_t>(at - labels.begin())];
  }
};

// One batched matrix product: c[m, n] = sum of a[m, k] * b[k, n]; steps in elements.
struct Product {
  int64_t m = 1, n = 1, k = 1, batch = 1;
  int64_t a_m = 0, a_k = 0, b_k = 0, b_n = 0, c_m = 0, c_n = 0;
  Dims batch_dims;  // merged
  std::array<std::vector<int64_t>, 3> batch_steps;
  bool service = false;
  og_gemm gemm{};
  std::array<std::vector<int64_t>, 3> offsets;  // for the service, where no single stride tells them
  uint64_t scratch = 0;
};

struct Step {
  enum Kind { zero, copy, sum, multiply, product } kind;
  Place a, b, c;
  Dims dims;  // copy; zero: of the output
  std::vector<int64_t> steps;
  ReduceShape reduced{{}, {}};
  Broadcast<2> loop;
  Product matrices;
};

struct Plan {
  std::vector<Step> steps;
  uint64_t scratch = 0;
};

class Planner {
 public:
  Planner(const Equation& equation, const std::vector<Dims>& inputs, size_t bytes, const og_cpu_gemm* gemm, int threads)
      : equation_(equation), bytes_(bytes), gemm_(gemm), threads_(threads) {
    for (size_t i = 0; i < inputs.size(); ++i) sizes_.add(equation.operands[i], inputs[i], static_cast<int>(i));
    for (const int label : equation.output)
      if (sizes_[label] != 1) output_.push_back(label);
    bool empty = false;
    for (const Labels& term : equation.operands)
      for (const int label : term) empty = empty || sizes_[label] == 0;
    if (empty) {
      Step step{Step::zero, {}, {}, {Place::output}, {}, {}, ReduceShape({}, {}), {}, {}};
      for (const int label : equation.output) step.dims.push_back(sizes_[label]);
      plan_.steps.push_back(step);
      return;
    }
    View current = without_lone(view_of(0, inputs[0]), 1, {});
    for (size_t i = 1; i < inputs.size(); ++i) {
      const View next = without_lone(view_of(i, inputs[i]), i + 1, current.labels);
      current = contract(without_lone(current, i + 1, next.labels), next, i + 1);
    }
    finish(current);
  }
  Plan take() { return std::move(plan_); }

 private:
  View view_of(size_t operand, const Dims& dims) const {
    View view;
    view.place = {Place::input, static_cast<int>(operand)};
    const auto strides = row_major_strides(dims);
    const Labels& term = equation_.operands[operand];
    for (size_t i = 0; i < term.size(); ++i) {
      if (dims[i] == 1) continue;
      const auto at = std::find(view.labels.begin(), view.labels.end(), term[i]);
      if (at != view.labels.end()) {  // a diagonal
        view.steps[static_cast<size_t>(at - view.labels.begin())] += strides[i];
      } else {
        view.labels.push_back(term[i]);
        view.steps.push_back(strides[i]);
      }
    }
    return view;
  }
  Dims dims_of(const Labels& labels) const {
    Dims dims;
    for (const int label : labels) dims.push_back(sizes_[label]);
    return dims;
  }
  int64_t count(const Labels& labels) const {
    int64_t total = 1;
    for (const int label : labels)
      if (__builtin_mul_overflow(total, sizes_[label], &total) || total > (int64_t(1) << 56))
        fail(
            "an intermediate result of the equation would have more than 2^56 elements; other orders of its operands "
            "may need less");
    return total;
  }
  // Whether a label is in the output or in a term from `rest` on.
  bool wanted(int label, size_t rest) const {
    if (contains(output_, label)) return true;
    for (size_t i = rest; i < equation_.operands.size(); ++i)
      if (contains(equation_.operands[i], label)) return true;
    return false;
  }
  // A compact view in scratch.
  View fresh(const Labels& labels) {
    const auto elements = static_cast<uint64_t>(count(labels));
    View view;
    view.place.offset = plan_.scratch;
    view.labels = labels;
    view.steps = row_major_strides(dims_of(labels));
    plan_.scratch += (elements * bytes_ + 63) / 64 * 64;
    if (plan_.scratch >> 60) fail("the intermediate results of the equation have too many elements");
    return view;
  }
  Step& add(Step::Kind kind, const Place& a, const Place& b, const Place& c) {
    plan_.steps.push_back({kind, a, b, c, {}, {}, ReduceShape({}, {}), {}, {}});
    return plan_.steps.back();
  }
  View copied(const View& view, const Labels& order) {
    View result = fresh(order);
    Step& step = add(Step::copy, view.place, {}, result.place);
    step.dims = dims_of(order);
    for (const int label : order) step.steps.push_back(view.step(label));
    return result;
  }
  // Sums over labels that only this view has and nobody wants.
  View without_lone(View view, size_t rest, const Labels& partner) {
    Labels kept;
    std::vector<int64_t> axes;
    for (size_t i = 0; i < view.labels.size(); ++i) {
      const int label = view.labels[i];
      if (wanted(label, rest) || contains(partner, label))
        kept.push_back(label);
      else
        axes.push_back(static_cast<int64_t>(i));
    }
    if (axes.empty()) return view;
    if (view.steps != row_major_strides(dims_of(view.labels))) view = copied(view, view.labels);
    const View result = fresh(kept);
    add(Step::sum, view.place, {}, result.place).reduced = ReduceShape(dims_of(view.labels), axes);
    return result;
  }

  static Labels joined(Labels a, const Labels& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  }
  // The one step over several axes that move together; nothing when they do not.
  std::optional<int64_t> merged(const View& view, const Labels& labels) const {
    for (size_t i = 0; i + 1 < labels.size(); ++i)
      if (view.step(labels[i]) != view.step(labels[i + 1]) * sizes_[labels[i + 1]]) return std::nullopt;
    return labels.empty() ? 0 : view.step(labels.back());
  }
  void merge_batch(Product& p, const Labels& batch, const std::array<const View*, 3>& views) const {
    for (const int label : batch) {
      const int64_t size = sizes_[label];
      bool merge = !p.batch_dims.empty();
      for (size_t i = 0; merge && i < 3; ++i) merge = p.batch_steps[i].back() == views[i]->step(label) * size;
      if (merge)
        p.batch_dims.back() *= size;
      else
        p.batch_dims.push_back(size);
      for (size_t i = 0; i < 3; ++i) {
        if (merge)
          p.batch_steps[i].back() = views[i]->step(label);
        else
          p.batch_steps[i].push_back(views[i]->step(label));
      }
      p.batch *= size;
    }
    if (p.batch_dims.size() > detail::Odometer<3>::kMaxAxes) fail("the equation has too many axes in its products");
  }

  View multiply(const View& a, const View& b, const Labels& order) {
    const View result = fresh(order);
    Broadcast<2>& loop = add(Step::multiply, a.place, b.place, result.place).loop;
    for (const int label : order) {
      const int64_t size = sizes_[label], sa = a.step(label), sb = b.step(label);
      if (!loop.dims.empty() && loop.steps[0].back() == sa * size && loop.steps[1].back() == sb * size) {
        loop.dims.back() *= size;
        loop.steps[0].back() = sa, loop.steps[1].back() = sb;
      } else {
        loop.dims.push_back(size);
        loop.steps[0].push_back(sa), loop.steps[1].push_back(sb);
      }
    }
    if (loop.dims.empty()) loop.dims = {1}, loop.steps[0] = {0}, loop.steps[1] = {0};
    loop.inner = loop.dims.back();
    for (size_t i = 0; i + 1 < loop.dims.size(); ++i) loop.outer *= loop.dims[i];
    return result;
  }

  View contract(View a, View b, size_t rest) {
    const bool last = rest == equation_.operands.size();
    Labels order = a.labels;  // of the result's axes
    for (const int label : b.labels)
      if (!contains(order, label)) order.push_back(label);
    if (last) {
      Labels sorted = output_;
      for (const int label : order)
        if (!contains(sorted, label)) sorted.push_back(label);
      order = sorted;
    }
    Labels batch, m, n, k, kept;
    for (const int label : order) {
      const bool in_a = contains(a.labels, label), in_b = contains(b.labels, label);
      if (!wanted(label, rest)) continue;
      kept.push_back(label);
      (in_a && in_b ? batch : in_a ? m : n).push_back(label);
    }
    for (const int label : a.labels)
      if (!wanted(label, rest)) k.push_back(label);
    if (k.empty()) return multiply(a, b, kept);
    if (!merged(b, k)) {  // the order of b may suit both
      Labels other;
      for (const int label : b.labels)
        if (contains(k, label)) other.push_back(label);
      if (merged(a, other)) k = other;
    }
    if (!merged(a, m) || !merged(a, k) || !one_is_dense(a, m, k)) a = copied(a, joined(joined(batch, m), k));
    if (!merged(b, n) || !merged(b, k) || !one_is_dense(b, n, k)) b = copied(b, joined(joined(batch, n), k));

    View c;
    if (last) {
      c.place = {Place::output};
      c.labels = output_;
      c.steps = row_major_strides(dims_of(output_));
    }
    // A product with a vector: rows of the matrix are dotted with it, or added up.
    bool swap = false;
    if (m.empty() != n.empty()) {
      const bool rows = (m.empty() ? *merged(b, k) : *merged(a, k)) == 1;
      swap = rows == m.empty();
    } else if (last && merged(c, m) && merged(c, n)) {
      swap = !n.empty() && *merged(c, n) != 1;
    }
    if (swap) std::swap(a, b), std::swap(m, n);
    if (!last || !merged(c, m) || !merged(c, n) || (!n.empty() && *merged(c, n) != 1))
      c = fresh(joined(joined(batch, m), n));

    Product p;
    p.m = count(m), p.n = count(n), p.k = count(k);
    p.a_m = *merged(a, m), p.a_k = *merged(a, k), p.b_k = *merged(b, k), p.b_n = *merged(b, n);
    p.c_m = *merged(c, m), p.c_n = *merged(c, n);
    merge_batch(p, batch, {&a, &b, &c});
    use_service(p);
    add(Step::product, a.place, b.place, c.place).matrices = std::move(p);
    return c;
  }
  bool one_is_dense(const View& view, const Labels& rows, const Labels& k) const {
    return *merged(view, k) == 1 || rows.empty() || *merged(view, rows) == 1;
  }

  // Large products of float go to the GEMM service; many small ones, and dot products, are faster in plain loops.
  void use_service(Product& p) {
    if (!gemm_ || (p.n == 1 && (p.a_k == 1 || p.m == 1)) ||
        (p.batch > 1 && double(p.m) * double(p.n) * double(p.k) < 2048))
      return;
    og_gemm g = og_gemm_init(p.m, p.n, p.k);
    const bool trans_a = p.a_k != 1, trans_b = p.b_n != 1 && p.n != 1;
    g.flags = gemm_flags(trans_a, trans_b, false);
    g.lda = trans_a ? p.a_k : p.a_m;
    g.ldb = trans_b ? p.b_n : p.b_k;
    g.ldc = p.c_m;
    g.batch = p.batch;
    if (p.batch_dims.size() == 1) {
      g.stride_a = p.batch_steps[0][0], g.stride_b = p.batch_steps[1][0], g.stride_c = p.batch_steps[2][0];
    } else if (p.batch > 1) {
      for (auto& list : p.offsets) list.reserve(static_cast<size_t>(p.batch));
      detail::Odometer<3> at(p.batch_dims, {&p.batch_steps[0], &p.batch_steps[1], &p.batch_steps[2]}, 0);
      for (int64_t i = 0; i < p.batch; ++i, at.next())
        for (size_t j = 0; j < 3; ++j) p.offsets[j].push_back(at.offsets[j]);
    }
    p.service = true;
    p.gemm = g;
    p.scratch = plan_.scratch;
    const og_gemm whole = described(p);
    plan_.scratch += (gemm_->scratch_bytes(&whole, threads_) + 63) / 64 * 64;
  }

  void finish(const View& view) {
    if (view.place.kind == Place::output) return;
    if (view.place.kind == Place::scratch && view.labels == output_) {
      plan_.steps.back().c = {Place::output};
      return;
    }
    Step& step = add(Step::copy, view.place, {}, {Place::output});
    step.dims = dims_of(output_);
    for (const int label : output_) step.steps.push_back(view.step(label));
  }

 public:
  // Pointers into the plan are set late: plans are moved.
  static og_gemm described(const Product& p) {
    og_gemm g = p.gemm;
    if (!p.offsets[0].empty())
      g.offsets_a = p.offsets[0].data(), g.offsets_b = p.offsets[1].data(), g.offsets_c = p.offsets[2].data();
    return g;
  }

 private:
  const Equation& equation_;
  const size_t bytes_;
  const og_cpu_gemm* const gemm_;
  const int threads_;
  Sizes sizes_;
  Labels output_;  // of more than one element
  Plan plan_;
};

// ---- Kernels ----

// Integers wrap around: they are multiplied and summed as unsigned ones that do not become int.
template <class T>
using Wide = std::conditional_t<std::is_integral_v<T> && sizeof(T) < 4, uint32_t, typename SumOf<T>::type>;

struct Sum {
  template <class T>
  static OG_INLINE T start() {
    return T(0);
  }
  template <class T>
  static OG_INLINE T step(T sum, T x) {
    return static_cast<T>(static_cast<Wide<T>>(sum) + static_cast<Wide<T>>(x));
  }
  template <class T>
  static OG_INLINE T join(T sum, T part) {
    return step(sum, part);
  }
  template <class T>
  static OG_INLINE T finish(T sum, int64_t) {
    return sum;
  }
};

template <class T>
void multiply_rows(const Run& r, const Broadcast<2>& loop, const T* a, const T* b, T* c) {
  using W = Wide<T>;
  const int64_t sa = loop.steps[0].back(), sb = loop.steps[1].back();
  for_each_row<2>(r, loop, [=](const std::array<int64_t, 2>& offsets, int64_t to, int64_t count) {
    vectorize([=]() OG_SIMD {
      const T* x = a + offsets[0];
      const T* y = b + offsets[1];
      T* z = c + to;
      const int64_t n = count;
      if (sa == 1 && sb == 1) {
        for (int64_t i = 0; i < n; ++i) z[i] = static_cast<T>(W(x[i]) * W(y[i]));
      } else if (sa == 1 && sb == 0) {
        const W factor = W(*y);
        for (int64_t i = 0; i < n; ++i) z[i] = static_cast<T>(W(x[i]) * factor);
      } else if (sa == 0 && sb == 1) {
        const W factor = W(*x);
        for (int64_t i = 0; i < n; ++i) z[i] = static_cast<T>(factor * W(y[i]));
      } else {
        for (int64_t i = 0; i < n; ++i) z[i] = static_cast<T>(W(x[i * sa]) * W(y[i * sb]));
      }
    });
  });
}

// Lanes, and blocks of them, keep the error of long sums small.
template <class T>
OG_INLINE Wide<T> dot(const T* x, int64_t x_step, const T* y, int64_t y_step, int64_t n) {
  using W = Wide<T>;
  W total = 0;
  if (x_step != 1 || y_step != 1 || n < 16 || std::is_integral_v<T>) {
    for (int64_t i = 0; i < n; ++i) total += W(x[i * x_step]) * W(y[i * y_step]);
    return total;
  }
  constexpr int64_t kLanes = 32, kBlock = kLanes * 64;
  int64_t i = 0;
  while (n - i >= kLanes) {
    const int64_t stop = i + std::min(kBlock, (n - i) / kLanes * kLanes);
    W lanes[kLanes];
    for (int64_t l = 0; l < kLanes; ++l) lanes[l] = 0;
    for (; i < stop; i += kLanes)
      for (int64_t l = 0; l < kLanes; ++l) lanes[l] += W(x[i + l]) * W(y[i + l]);
    for (int64_t half = kLanes / 2; half > 0; half /= 2)
      for (int64_t l = 0; l < half; ++l) lanes[l] += lanes[l + half];
    total += lanes[0];
  }
  for (; i < n; ++i) total += W(x[i]) * W(y[i]);
  return total;
}

// Columns of b add up to a stretch of a row of c.
template <class T>
OG_INLINE void add_columns(const Product& p, const T* a, const T* b, T* c, int64_t columns) {
  using W = Wide<T>;
  constexpr int64_t kMost = 256;
  const int64_t a_k = p.a_k, b_k = p.b_k, b_n = p.b_n, k = p.k;
  for (int64_t j0 = 0; j0 < columns; j0 += kMost) {
    W sums[kMost];
    const int64_t n = std::min(kMost, columns - j0);
    for (int64_t j = 0; j < n; ++j) sums[j] = 0;
    int64_t i = 0;
    for (; b_n == 1 && i + 4 <= k; i += 4) {  // the sums are loaded and stored less often
      const W f0 = W(a[i * a_k]), f1 = W(a[(i + 1) * a_k]), f2 = W(a[(i + 2) * a_k]), f3 = W(a[(i + 3) * a_k]);
      const T *r0 = b + i * b_k + j0, *r1 = r0 + b_k, *r2 = r1 + b_k, *r3 = r2 + b_k;
      for (int64_t j = 0; j < n; ++j) sums[j] = sums[j] + f0 * W(r0[j]) + f1 * W(r1[j]) + f2 * W(r2[j]) + f3 * W(r3[j]);
    }
    for (; i < k; ++i) {
      const W factor = W(a[i * a_k]);
      const T* row = b + i * b_k + j0 * b_n;
      for (int64_t j = 0; j < n; ++j) sums[j] += factor * W(row[j * b_n]);
    }
    for (int64_t j = 0; j < n; ++j) c[j0 + j] = static_cast<T>(sums[j]);
  }
}

template <class T>
void multiply_matrices(const Run& r, const Product& p, const T* a, const T* b, T* c) {
  const bool dots = p.n == 1 || (p.a_k == 1 && p.b_k == 1);
  // One long row is cut as well.
  const int64_t width = dots || p.m > 1 || p.batch > 1 ? p.n : 256, parts = (p.n + width - 1) / width;
  const int64_t grain = std::max<int64_t>(1, 16384 / std::max<int64_t>(1, width * p.k));
  r.parallel_for(p.batch * p.m * parts, grain, [&](int64_t begin, int64_t end) {
    detail::Odometer<3> at(p.batch_dims, {&p.batch_steps[0], &p.batch_steps[1], &p.batch_steps[2]},
                           begin / (p.m * parts));
    int64_t within = begin % (p.m * parts);
    for (int64_t item = begin; item < end; ++item) {
      const int64_t row = within / parts, first = within % parts * width, columns = std::min(width, p.n - first);
      const T* x = a + at.offsets[0] + row * p.a_m;
      const T* y = b + at.offsets[1] + first * p.b_n;
      T* z = c + at.offsets[2] + row * p.c_m + first * p.c_n;
      vectorize([&]() OG_SIMD {
        if (!dots) return add_columns(p, x, y, z, columns);
        for (int64_t j = 0; j < columns; ++j) z[j * p.c_n] = static_cast<T>(dot(x, p.a_k, y + j * p.b_n, p.b_k, p.k));
      });
      if (++within == p.m * parts) {
        within = 0;
        at.next();
      }
    }
  });
}

template <class T>
struct EinsumKernel {
  Plan prepare(Prepare& p) const {
    const int count = p.info().input_count;
    std::vector<Dims> inputs;
    std::vector<int> ranks;
    for (int i = 0; i < count; ++i) {
      if (!p.has(i)) fail("input " + std::to_string(i) + " is left out; Einsum needs one tensor for every term");
      inputs.push_back(p.dims(i));
      ranks.push_back(static_cast<int>(inputs.back().size()));
    }
    Equation equation = parse(p, count);
    resolve(equation, ranks);
    const og_cpu_gemm* gemm = std::is_same_v<T, float> ? service<og_cpu_gemm>(OG_CPU_GEMM) : nullptr;
    Plan plan = Planner(equation, inputs, sizeof(T), gemm, p.threads()).take();
    p.scratch(plan.scratch);
    return plan;
  }
  void run(Run& r) const {
    const auto at = [&](const Place& place) {
      if (place.kind == Place::output) return r.out<T>(0);
      if (place.kind == Place::input) return const_cast<T*>(r.in<T>(place.index));
      return reinterpret_cast<T*>(r.scratch<char>() + place.offset);
    };
    for (const Step& step : r.plan<Plan>().steps) {
      const T *a = at(step.a), *b = at(step.b);
      T* c = at(step.c);
      switch (step.kind) {
        case Step::zero:
          std::fill(c, c + r.output(0).numel(), T(0));
          break;
        case Step::copy:
          by_size(sizeof(T), [&](auto zero) {
            using U = decltype(zero);
            gather_strided(r, reinterpret_cast<const U*>(a), reinterpret_cast<U*>(c), step.dims, step.steps);
          });
          break;
        case Step::sum:
          detail::reduce<Sum>(r, a, c, step.reduced);
          break;
        case Step::multiply:
          multiply_rows(r, step.loop, a, b, c);
          break;
        case Step::product:
          if constexpr (std::is_same_v<T, float>) {
            if (step.matrices.service) {
              const og_gemm gemm = Planner::described(step.matrices);
              if (service<og_cpu_gemm>(OG_CPU_GEMM)
                      ->run(&gemm, a, b, c, nullptr, r.scratch<char>() + step.matrices.scratch, r.parallel()) != 0)
                fail("the GEMM service refused a product");
              break;
            }
          }
          multiply_matrices(r, step.matrices, a, b, c);
          break;
      }
    }
  }
};

OG_OP(Einsum, "", 28) {
  op.doc("Products of the inputs summed over the letters of `equation` that its output has not: \"ij,jk->ik\".")
      .input("Inputs", "T", variadic)
      .output("Output", "T")
      .required_attr("equation", OG_ATTR_STRING)
      .types("T", types::numeric)
      .infer(&infer)
      .pure();
  const auto add = [&](auto... zero) { (op.kernel<EinsumKernel<decltype(zero)>>(cpu, dtype_of<decltype(zero)>), ...); };
  add(float{}, double{}, int8_t{}, int16_t{}, int32_t{}, int64_t{}, uint8_t{}, uint16_t{}, uint32_t{}, uint64_t{});
  op.earlier(12, [](Op& o) { o.types("T", types::numeric_before_bfloat); });
}

}  // namespace
