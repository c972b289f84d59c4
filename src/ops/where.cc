// Where: elements of X where the condition holds, else of Y.
#include <opgraft/axes.h>
#include <opgraft/broadcast.h>
#include <opgraft/vectorize.h>
using namespace opgraft;
namespace {

// Both sides are read before the choice, so that the loop has no branch; steps known to the compiler let it vectorise.
template <int StepA, int StepB, class T>
OG_SIMD void choose_row(const bool* condition, const T* a, const T* b, T* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const T from_a = a[i * StepA], from_b = b[i * StepB];
    y[i] = condition[i] ? from_a : from_b;
  }
}

template <class T>
void choose(Run& r, const Broadcast<3>& loop) {
  const bool* condition = r.in<bool>(0);
  const T* a = r.in<T>(1);
  const T* b = r.in<T>(2);
  T* y = r.out<T>(0);
  const int64_t sc = loop.steps[0].back(), sa = loop.steps[1].back(), sb = loop.steps[2].back();
  for_each_row(r, loop, [=](const std::array<int64_t, 3>& offsets, int64_t out, int64_t n) {
    const bool* c = condition + offsets[0];
    const T* from_a = a + offsets[1];
    const T* from_b = b + offsets[2];
    T* to = y + out;
    if (sc == 0) {  // one side for the whole row
      const T* from = *c ? from_a : from_b;
      if ((*c ? sa : sb) == 0)
        std::fill(to, to + n, *from);
      else
        std::copy(from, from + n, to);
      return;
    }
    vectorize([=]() OG_SIMD {
      if (sa && sb)
        choose_row<1, 1>(c, from_a, from_b, to, n);
      else if (sa)
        choose_row<1, 0>(c, from_a, from_b, to, n);
      else if (sb)
        choose_row<0, 1>(c, from_a, from_b, to, n);
      else
        choose_row<0, 0>(c, from_a, from_b, to, n);
    });
  });
}

struct Kernel {
  Broadcast<3> prepare(Prepare& p) const {
    return make_broadcast<3>({p.dims(0), p.dims(1), p.dims(2)}, p.output_dims(0));
  }
  void run(Run& r) const {
    const auto& loop = r.plan<Broadcast<3>>();
    if (r.dtype(1) != str)
      return by_size(element_bytes(r.input(1)), [&](auto zero) { choose<decltype(zero)>(r, loop); });
    const Dims dims = broadcast_dims(broadcast_dims(r.input(0).shape(), r.input(1).shape()), r.input(2).shape());
    const auto all = make_broadcast<3>({r.input(0).shape(), r.input(1).shape(), r.input(2).shape()}, dims);
    r.output(0, dims);
    for (int64_t o = 0; o < all.outer; ++o) {
      const auto at = all.offsets(o);
      for (int64_t i = 0; i < all.inner; ++i) {
        const bool first = r.in<bool>(0)[at[0] + i * all.steps[0].back()];
        r.set_string(
            0, o * all.inner + i,
            first ? r.string(1, at[1] + i * all.steps[1].back()) : r.string(2, at[2] + i * all.steps[2].back()));
      }
    }
  }
};

OG_OP(Where, "", 16) {
  op.doc("X where condition is true, Y elsewhere, with broadcasting.")
      .input("condition", "B")
      .input("X", "T")
      .input("Y", "T")
      .output("output", "T")
      .types("B", {boolean})
      .types("T", types::tensor)
      .infer([](Infer& c) {
        infer_broadcast(c, c.dtype(1));
        const auto condition = c.value(0);
        const auto a = c.integers(1), b = c.integers(2);
        if (!condition || !a || !b || c.ndim(0) > 1 || a->size() != b->size() ||
            static_cast<size_t>(Tensor(*condition).numel()) != a->size())
          return;
        std::vector<int64_t> result;
        for (size_t i = 0; i < a->size(); ++i)
          result.push_back(static_cast<const bool*>(condition->tensor.data)[i] ? (*a)[i] : (*b)[i]);
        c.out_integers(0, result, c.ndim(1) == 0 && c.ndim(0) == 0);
      })
      .pure();
  op.kernel<Kernel>(cpu);
  op.earlier(9, [](Op& o) { o.types("T", types::tensor_before_bfloat); });
}

}  // namespace
