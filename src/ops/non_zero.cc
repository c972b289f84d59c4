// NonZero: indices of the elements that are not zero; how many there are only the data tells.
#include <opgraft/op.h>
using namespace opgraft;
namespace {

template <class T>
void find(Run& r) {
  const Tensor x = r.input(0);
  const T* data = x.data<T>();
  std::vector<int64_t> found;
  for (int64_t i = 0; i < x.numel(); ++i)
    if (data[i] != T(0)) found.push_back(i);
  const auto count = static_cast<int64_t>(found.size());
  int64_t* y = r.output(0, Dims{x.ndim(), count}).data<int64_t>();
  for (int64_t k = 0; k < count; ++k) {
    int64_t index = found[static_cast<size_t>(k)];
    for (int axis = x.ndim(); axis-- > 0;) {
      y[axis * count + k] = index % x.dim(axis);
      index /= x.dim(axis);
    }
  }
}

template <class... T>
void add_kernels(Op& op) {
  (op.kernel(cpu, dtype_of<T>, &find<T>), ...);
}

OG_OP(NonZero, "", 13) {
  op.doc("The indices of all elements that are not zero, one row per axis, in row-major order.")
      .input("X", "T")
      .output("Y", "tensor(int64)")
      .types("T", types::numeric + Dtypes{boolean})
      .infer([](Infer& c) {
        c.out(0, i64, Dims{c.ranked(0) ? c.ndim(0) : kUnknown, kUnknown});
      })
      .pure();
  add_kernels<bool, float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t>(op);
}

}  // namespace
