// GlobalMaxPool: the maximum of each channel over all spatial axes.
#include <opgraft/op.h>
#include <opgraft/pool.h>

#include <limits>
using namespace opgraft;
namespace {

void global_max(Run& r) {
  const Tensor input = r.input(0);
  const int64_t count = input.product(2, input.ndim());
  const double* x = r.in<double>(0);
  double* y = r.out<double>(0);
  r.parallel_for(input.product(0, 2), 16384 / std::max<int64_t>(1, count) + 1, [&](int64_t begin, int64_t end) {
    for (int64_t plane = begin; plane < end; ++plane) {
      double best = -std::numeric_limits<double>::infinity();
      for (int64_t i = 0; i < count; ++i) {
        const double value = x[plane * count + i];
        if (value > best || value != value) best = value;
        if (value != value) break;
      }
      y[plane] = best;
    }
  });
}

OG_OP(GlobalMaxPool, "", 22) {
  op.doc("The maximum of each channel of X [N, C, spatial...] over its spatial axes, which become 1.")
      .input("X", "T")
      .output("Y", "T")
      .types("T", types::floats)
      .infer(infer_global_pool)
      .pure()
      .kernel<GlobalPoolService<OG_POOL_MAX>>(cpu, f32)
      .kernel(cpu, f64, global_max);
  op.earlier(1, [](Op& o) { o.types("T", types::ieee); });
}

}  // namespace
