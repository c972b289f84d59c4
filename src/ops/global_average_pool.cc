// GlobalAveragePool: the mean of each channel over all spatial axes.
#include <opgraft/op.h>
#include <opgraft/pool.h>
using namespace opgraft;
namespace {

void global_average(Run& r) {
  const Tensor input = r.input(0);
  const int64_t count = input.product(2, input.ndim());
  const double* x = r.in<double>(0);
  double* y = r.out<double>(0);
  r.parallel_for(input.product(0, 2), 16384 / std::max<int64_t>(1, count) + 1, [&](int64_t begin, int64_t end) {
    for (int64_t plane = begin; plane < end; ++plane) {
      double sum = 0;
      for (int64_t i = 0; i < count; ++i) sum += x[plane * count + i];
      y[plane] = count > 0 ? sum / static_cast<double>(count) : 0.0;
    }
  });
}

OG_OP(GlobalAveragePool, "", 22) {
  op.doc("The mean of each channel of X [N, C, spatial...] over its spatial axes, which become 1.")
      .input("X", "T")
      .output("Y", "T")
      .types("T", types::floats)
      .infer(infer_global_pool)
      .pure()
      .kernel<GlobalPoolService<OG_POOL_AVERAGE>>(cpu, f32)
      .kernel(cpu, f64, global_average);
  op.earlier(1, [](Op& o) { o.types("T", types::ieee); });
}

}  // namespace
