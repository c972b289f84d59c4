// DFT: the discrete Fourier transform along one axis, of real or complex signals, forwards or backwards.
#include <opgraft/fft.h>
#include <opgraft/op.h>
using namespace opgraft;
namespace {

bool inverse(const Node& node) { return node.get("inverse", 0) != 0; }
bool onesided(const Node& node) { return node.get("onesided", 0) != 0; }

void check_parts(const Node& node, int64_t parts) {
  if (is_symbol(parts)) return;
  if (parts != 1 && parts != 2)
    fail("the last axis of input holds real and imaginary parts: its size must be 1 or 2, it is " +
         std::to_string(parts));
  if (onesided(node) && !inverse(node) && parts != 1)
    fail("onesided = 1 without inverse needs real input, whose last axis has size 1; it has size 2. Set onesided = 0");
}

int64_t signal_axis(int64_t axis, int64_t ndim) {
  axis = normalize_axis(axis, ndim);
  if (axis == ndim - 1)
    fail("axis " + std::to_string(axis) + " is the last one, which holds real and imaginary parts; choose another");
  return axis;
}

int64_t scalar(const std::vector<int64_t>& values, const char* name) {
  if (values.size() != 1)
    fail(std::string(name) + " has " + std::to_string(values.size()) + " elements; it must be a scalar");
  return values[0];
}

void infer(Infer& c) {
  if (!c.ranked(0)) return c.out(0, c.dtype(0));
  Dims dims = c.dims(0);
  const auto ndim = static_cast<int64_t>(dims.size());
  if (ndim < 2) fail("input must have a signal axis and a last axis of parts; it has rank " + std::to_string(ndim));
  check_parts(c, dims.back());
  dims.back() = onesided(c) && inverse(c) ? 1 : 2;
  int64_t axis = -2;
  if (c.has(2)) {
    const auto given = c.known_integers(2);
    if (!given) {
      std::fill(dims.begin(), dims.end() - 1, kUnknown);
      return c.out(0, c.dtype(0), dims);
    }
    axis = scalar(*given, "axis");
  }
  int64_t& size = dims[static_cast<size_t>(signal_axis(axis, ndim))];
  if (c.has(1)) {
    const auto given = c.integers(1);
    size = given ? scalar(*given, "dft_length") : kUnknown;
  } else if (onesided(c) && inverse(c)) {
    size = c.mul(c.sub(size, 1), 2);
  }
  if (is_known(size) && size < 1) fail("the length of the transform is " + std::to_string(size));
  if (onesided(c) && !inverse(c)) size = c.add(c.floor_div(size, 2), 1);
  c.out(0, c.dtype(0), dims);
}

template <class T>
struct DftKernel {
  using Shared = std::shared_ptr<const Fft<T>>;

  // The transform, when its length is known before the run.
  Shared prepare(Prepare& p) const {
    const og_value x = p.input(0), length = p.input(1), axis = p.input(2);
    const auto known = [](const og_value& value) { return value.kind == OG_ABSENT || Tensor(value).has_data(); };
    if (!known(length) || !known(axis)) return nullptr;
    const int64_t n = transform_length(p, x, length, axis);
    return n < 1 ? nullptr : std::make_shared<const Fft<T>>(n);
  }

  void run(Run& r) const {
    const Tensor x = r.input(0);
    const og_value absent{};
    const og_value length = r.has(1) ? r.input(1).raw() : absent, where = r.has(2) ? r.input(2).raw() : absent;
    const int axis = static_cast<int>(axis_of(x.raw(), where));
    check_parts(r, x.dim(-1));
    const int64_t n = transform_length(r, x.raw(), length, where);
    const bool back = inverse(r), one = onesided(r), real = x.dim(-1) == 1;
    Shared fft = r.plan<Shared>();
    if (!fft || fft->length() != n) fft = std::make_shared<const Fft<T>>(n);

    const int64_t in = x.dim(axis), parts = x.dim(-1), inner = x.product(axis + 1, x.ndim() - 1);
    const int64_t out = one && !back ? n / 2 + 1 : n;
    Dims dims = x.shape();
    dims[static_cast<size_t>(axis)] = out;
    dims.back() = one && back ? 1 : 2;
    const T* from = x.data<T>();
    T* to = r.output(0, dims).template data<T>();
    const T scale = back ? static_cast<T>(1 / static_cast<double>(n)) : T(1);
    // The way back to real signals reads half of the spectrum only.
    const int64_t wanted = one && back ? n / 2 + 1 : n, given = std::min(in, wanted);
    const auto load = [=](int64_t signal, T* re, T* im, int64_t step) {
      const T* source = from + (signal / inner * in * inner + signal % inner) * parts;
      const int64_t stride = inner * parts;
      for (int64_t k = 0; k < given; ++k) re[k * step] = source[k * stride];
      for (int64_t k = given; k < wanted; ++k) re[k * step] = T(0);
      if (!im) return;
      for (int64_t k = 0; k < given; ++k) im[k * step] = parts == 2 ? source[k * stride + 1] : T(0);
      for (int64_t k = given; k < wanted; ++k) im[k * step] = T(0);
    };
    const auto store = [=](int64_t signal, const T* re, const T* im, int64_t step) {
      T* target = to + (signal / inner * out * inner + signal % inner) * (im ? 2 : 1);
      if (!im) {
        for (int64_t k = 0; k < out; ++k) target[k * inner] = re[k * step] * scale;
        return;
      }
      for (int64_t k = 0; k < out; ++k) {
        target[2 * k * inner] = re[k * step] * scale;
        target[2 * k * inner + 1] = im[k * step] * scale;
      }
    };
    const FftKind kind =
        back ? (one ? FftKind::inverse_real : FftKind::inverse) : (real ? FftKind::forward_real : FftKind::forward);
    transform_signals(r, *fft, kind, x.product(0, axis) * inner, load, store);
  }

 private:
  static int64_t axis_of(const og_value& x, const og_value& axis) {
    const int64_t given = axis.kind == OG_ABSENT ? -2 : scalar(Tensor(axis).integers(), "axis");
    return signal_axis(given, Tensor(x).ndim());
  }
  static int64_t transform_length(const Node& node, const og_value& x, const og_value& length, const og_value& axis) {
    if (length.kind != OG_ABSENT) return scalar(Tensor(length).integers(), "dft_length");
    const int64_t size = Tensor(x).dim(axis_of(x, axis));
    return onesided(node) && inverse(node) ? 2 * (size - 1) : size;
  }
};

OG_OP(DFT, "", 20) {
  op.doc("The discrete Fourier transform of the signals along `axis`, cut or filled with zeros to `dft_length`.")
      .input("input", "T1")
      .input("dft_length", "T2", optional)
      .input("axis", "tensor(int64)", optional)
      .output("output", "T1")
      .attr("inverse", 0)
      .attr("onesided", 0)
      .types("T1", types::floats)
      .types("T2", {i32, i64})
      .infer(&infer)
      .pure()
      .kernel<DftKernel<float>>(cpu, f32)
      .kernel<DftKernel<double>>(cpu, f64);
  op.earlier(
      17, [](Op& o) { o.drop("axis").attr("axis", 1); },
      [](Graph& g) {
        g.scalar("axis", g.get("axis", int64_t(1)));
        g.node("DFT", {"input", g.has(1) ? "dft_length" : "", "axis"}, {"output"})
            .attr_from("inverse")
            .attr_from("onesided");
      });
}

}  // namespace
