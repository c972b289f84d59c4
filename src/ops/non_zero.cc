// NonZero: indices of the elements that are not zero; how many there are only the data tells.
#include <opgraft/copy.h>
#include <opgraft/op.h>
#include <opgraft/vectorize.h>
using namespace opgraft;
namespace {

template <class T>
int64_t count_of(const T* data, int64_t total) {
  int64_t count = 0;
  vectorize([&]() OG_SIMD {
    const T* p = data;
    const int64_t n = total;
    int64_t found = 0;
    for (int64_t i = 0; i < n; ++i) found += p[i] != T(0);
    count = found;
  });
  return count;
}

template <class T>
void find_in(Run& r, const T* data) {
  const Tensor x = r.input(0);
  const int64_t total = x.numel(), count = count_of(data, total);
  const int ndim = x.ndim();
  int64_t* y = r.output(0, Dims{ndim, count}).data<int64_t>();
  if (ndim == 0 || count == 0) return;
  const int64_t inner = x.dim(-1);
  const Dims outer(x.dims(), x.dims() + ndim - 1);
  std::vector<int64_t> position(outer.size(), 0), found(static_cast<size_t>(inner) + 1);
  int64_t done = 0;
  for (int64_t row = 0; row < total / inner; ++row, data += inner) {
    int64_t here = 0;  // without a branch: every position is written, those of zeros are written over
    for (int64_t j = 0; j < inner; ++j) {
      found[static_cast<size_t>(here)] = j;
      here += data[j] != T(0);
    }
    for (size_t axis = 0; axis < position.size(); ++axis)
      std::fill_n(y + static_cast<int64_t>(axis) * count + done, here, position[axis]);
    std::copy_n(found.data(), here, y + (ndim - 1) * count + done);
    done += here;
    for (size_t axis = position.size(); axis-- > 0;) {
      if (++position[axis] < outer[axis]) break;
      position[axis] = 0;
    }
  }
}

template <class T>
void find(Run& r) {
  find_in(r, r.in<T>(0));
}

void find_strings(Run& r) {
  std::vector<uint8_t> filled(static_cast<size_t>(r.input(0).numel()));
  for (size_t i = 0; i < filled.size(); ++i) filled[i] = !r.string(0, static_cast<int64_t>(i)).empty();
  find_in(r, filled.data());
}

template <class T>
void find_complex(Run& r) {
  std::vector<uint8_t> filled(static_cast<size_t>(r.input(0).numel()));
  const T* x = r.in<T>(0);
  for (size_t i = 0; i < filled.size(); ++i) filled[i] = x[2 * i] != T(0) || x[2 * i + 1] != T(0);
  find_in(r, filled.data());
}

template <class... T>
void add_kernels(Op& op) {
  (op.kernel(cpu, dtype_of<T>, &find<T>), ...);
}

OG_OP(NonZero, "", 13) {
  op.doc("The indices of all elements that are not zero, one row per axis, in row-major order.")
      .input("X", "T")
      .output("Y", "tensor(int64)")
      .types("T", types::tensor)
      .infer([](Infer& c) {
        c.out(0, i64, Dims{c.ranked(0) ? c.ndim(0) : kUnknown, kUnknown});
      })
      .pure();
  add_kernels<bool, float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t>(op);
  op.kernel(cpu, str, &find_strings);
  op.kernel(cpu, c64, &find_complex<float>);
  op.kernel(cpu, c128, &find_complex<double>);
  op.earlier(9, [](Op& o) { o.types("T", types::tensor_before_bfloat); });
}

}  // namespace
