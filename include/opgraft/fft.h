// Discrete Fourier transforms of any length in O(n log n): mixed radix, and Bluestein's algorithm where a prime factor
// is large.
//
// Several signals are transformed at once, one in each lane of a vector; two real signals count as one complex signal.
// Sources: Stockham's autosort form of the fast Fourier transform; L. Bluestein, "A linear filtering approach to the
// computation of discrete Fourier transform" (1970). An Fft is read-only once made: any number of threads may share it.
#ifndef OPGRAFT_FFT_H_
#define OPGRAFT_FFT_H_

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "opgraft/context.h"
#include "opgraft/vectorize.h"

namespace opgraft OG_HIDDEN {

inline constexpr int64_t kLongestFft = int64_t(1) << 28;

template <class V>
struct ComplexOf {
  V r, i;
};

namespace detail {

// exp(-2 pi i k / n) for 0 <= k < n.
template <class T>
ComplexOf<T> root_of_unity(int64_t k, int64_t n) {
  const bool back = 2 * k > n;  // small angles are the exact ones
  const double angle = 2 * M_PI * static_cast<double>(back ? n - k : k) / static_cast<double>(n);
  return {static_cast<T>(std::cos(angle)), static_cast<T>(back ? std::sin(angle) : -std::sin(angle))};
}

template <class V, class W>
inline OG_SIMD void multiply(const ComplexOf<V>& x, const W& w, ComplexOf<V>& y) {
  const V r = x.r * w.r - x.i * w.i;
  y.i = x.r * w.i + x.i * w.r;
  y.r = r;
}

// One pass of a transform: `before` = product of the radixes of the passes before, `after` = of those to come.
struct FftPass {
  int64_t radix, before, after;
  size_t twiddles, roots;  // where those of the pass begin
};

// y_q = sum_j x_j exp(-2 pi i j q / Radix).
template <int Radix, class T, class V>
inline OG_SIMD void butterfly(const ComplexOf<V>* x, ComplexOf<V>* y) {
  if constexpr (Radix == 2) {
    y[0].r = x[0].r + x[1].r, y[0].i = x[0].i + x[1].i;
    y[1].r = x[0].r - x[1].r, y[1].i = x[0].i - x[1].i;
  } else if constexpr (Radix == 3) {
    const T sine = static_cast<T>(0.86602540378443864676);
    const V sr = x[1].r + x[2].r, si = x[1].i + x[2].i;
    const V dr = (x[1].r - x[2].r) * sine, di = (x[1].i - x[2].i) * sine;
    const V mr = x[0].r - sr * T(0.5), mi = x[0].i - si * T(0.5);
    y[0].r = x[0].r + sr, y[0].i = x[0].i + si;
    y[1].r = mr + di, y[1].i = mi - dr;
    y[2].r = mr - di, y[2].i = mi + dr;
  } else if constexpr (Radix == 4) {
    const V sr0 = x[0].r + x[2].r, si0 = x[0].i + x[2].i, dr0 = x[0].r - x[2].r, di0 = x[0].i - x[2].i;
    const V sr1 = x[1].r + x[3].r, si1 = x[1].i + x[3].i, dr1 = x[1].r - x[3].r, di1 = x[1].i - x[3].i;
    y[0].r = sr0 + sr1, y[0].i = si0 + si1;
    y[1].r = dr0 + di1, y[1].i = di0 - dr1;
    y[2].r = sr0 - sr1, y[2].i = si0 - si1;
    y[3].r = dr0 - di1, y[3].i = di0 + dr1;
  } else {
    static_assert(Radix == 5);
    const T c1 = static_cast<T>(0.30901699437494742410), c2 = static_cast<T>(-0.80901699437494742410);
    const T s1 = static_cast<T>(0.95105651629515357212), s2 = static_cast<T>(0.58778525229247312917);
    const V sr1 = x[1].r + x[4].r, si1 = x[1].i + x[4].i, dr1 = x[1].r - x[4].r, di1 = x[1].i - x[4].i;
    const V sr2 = x[2].r + x[3].r, si2 = x[2].i + x[3].i, dr2 = x[2].r - x[3].r, di2 = x[2].i - x[3].i;
    y[0].r = x[0].r + sr1 + sr2, y[0].i = x[0].i + si1 + si2;
    const V ar = x[0].r + sr1 * c1 + sr2 * c2, ai = x[0].i + si1 * c1 + si2 * c2;
    const V br = x[0].r + sr1 * c2 + sr2 * c1, bi = x[0].i + si1 * c2 + si2 * c1;
    const V er = dr1 * s1 + dr2 * s2, ei = di1 * s1 + di2 * s2;
    const V fr = dr1 * s2 - dr2 * s1, fi = di1 * s2 - di2 * s1;
    y[1].r = ar + ei, y[1].i = ai - er;
    y[2].r = br + fi, y[2].i = bi - fr;
    y[3].r = br - fi, y[3].i = bi + fr;
    y[4].r = ar - ei, y[4].i = ai + er;
  }
}

template <int Radix, class T, class V>
inline OG_SIMD void fft_pass(const FftPass& pass, const ComplexOf<T>* w, const ComplexOf<V>* x, ComplexOf<V>* y) {
  const int64_t before = pass.before, after = pass.after;
  for (int64_t k = 0; k < before; ++k)
    for (int64_t i = 0; i < after; ++i) {
      ComplexOf<V> in[Radix], out[Radix];
      for (int64_t j = 0; j < Radix; ++j) in[j] = x[i + after * (j + Radix * k)];
      butterfly<Radix, T>(in, out);
      y[i + after * k] = out[0];
      for (int64_t q = 1; q < Radix; ++q) multiply(out[q], w[(q - 1) * after + i], y[i + after * (k + before * q)]);
    }
}

template <class T, class V>
inline OG_SIMD void fft_pass_of_prime(const FftPass& pass, const ComplexOf<T>* w, const ComplexOf<T>* roots,
                                      const ComplexOf<V>* x, ComplexOf<V>* y) {
  const int64_t before = pass.before, after = pass.after, radix = pass.radix;
  for (int64_t k = 0; k < before; ++k)
    for (int64_t i = 0; i < after; ++i) {
      const ComplexOf<V>* in = x + i + after * radix * k;
      for (int64_t q = 0; q < radix; ++q) {
        ComplexOf<V> sum = in[0];
        for (int64_t j = 1, at = q; j < radix; ++j, at = at + q < radix ? at + q : at + q - radix) {
          ComplexOf<V> term;
          multiply(in[after * j], roots[at], term);
          sum.r += term.r, sum.i += term.i;
        }
        if (q > 0) multiply(sum, w[(q - 1) * after + i], sum);
        y[i + after * (k + before * q)] = sum;
      }
    }
}

}  // namespace detail

// The forward transform of n complex numbers.
template <class T>
class Fft {
 public:
  explicit Fft(int64_t n) : n_(n), size_(n) {
    if (n < 1 || n > kLongestFft)
      fail("a Fourier transform of length " + std::to_string(n) + " was asked for; lengths from 1 to " +
           std::to_string(kLongestFft) + " are possible");
    int64_t rest = n;
    std::vector<int64_t> radixes;
    for (const int64_t radix : {4, 2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31})
      for (; rest % radix == 0; rest /= radix) radixes.push_back(radix);
    if (rest > 1) {
      prepare_convolution();
      return;
    }
    int64_t before = 1;
    for (const int64_t radix : radixes) {
      const int64_t after = n / (before * radix);
      passes_.push_back({radix, before, after, twiddles_.size(), roots_.size()});
      for (int64_t q = 1; q < radix; ++q)
        for (int64_t i = 0; i < after; ++i) twiddles_.push_back(detail::root_of_unity<T>(q * i, radix * after));
      if (radix > 5)
        for (int64_t j = 0; j < radix; ++j) roots_.push_back(detail::root_of_unity<T>(j, radix));
      before *= radix;
    }
  }

  int64_t length() const { return n_; }
  // Elements that each of the two buffers of run() must have.
  int64_t buffer_size() const { return size_; }

  // Transforms the first n elements of `x`; returns where the result is, x or work. V: T, or a vector of them.
  template <class V>
  ComplexOf<V>* run(ComplexOf<V>* x, ComplexOf<V>* work) const {
    if (!inner_) return run_passes(x, work);
    vectorize([&]() OG_SIMD {
      for (int64_t k = 0; k < n_; ++k) detail::multiply(x[k], chirp_[static_cast<size_t>(k)], x[k]);
      for (int64_t k = n_; k < size_; ++k) x[k].r = x[k].i = V{};
    });
    ComplexOf<V>* y = inner_->run_passes(x, work);
    ComplexOf<V>* other = y == x ? work : x;
    vectorize([&]() OG_SIMD {  // real and imaginary parts change places: the next transform goes back
      for (int64_t k = 0; k < size_; ++k) {
        detail::multiply(y[k], spectrum_[static_cast<size_t>(k)], y[k]);
        std::swap(y[k].r, y[k].i);
      }
    });
    ComplexOf<V>* z = inner_->run_passes(y, other);
    vectorize([&]() OG_SIMD {
      for (int64_t k = 0; k < n_; ++k) {
        std::swap(z[k].r, z[k].i);
        detail::multiply(z[k], chirp_[static_cast<size_t>(k)], z[k]);
      }
    });
    return z;
  }

 private:
  template <class V>
  ComplexOf<V>* run_passes(ComplexOf<V>* x, ComplexOf<V>* work) const {
    vectorize([&]() OG_SIMD {
      for (const detail::FftPass& pass : passes_) {
        const ComplexOf<T>* w = twiddles_.data() + pass.twiddles;
        switch (pass.radix) {
          case 2:
            detail::fft_pass<2>(pass, w, x, work);
            break;
          case 3:
            detail::fft_pass<3>(pass, w, x, work);
            break;
          case 4:
            detail::fft_pass<4>(pass, w, x, work);
            break;
          case 5:
            detail::fft_pass<5>(pass, w, x, work);
            break;
          default:
            detail::fft_pass_of_prime(pass, w, roots_.data() + pass.roots, x, work);
        }
        std::swap(x, work);
      }
    });
    return x;
  }

  // Bluestein: the transform is a convolution with exp(pi i k^2 / n), done by transforms of a length of small factors.
  void prepare_convolution() {
    const auto smooth = [](int64_t rest) {
      for (const int64_t factor : {2, 3, 5})
        while (rest % factor == 0) rest /= factor;
      return rest == 1;
    };
    size_ = 2 * n_ - 1;
    while (!smooth(size_)) ++size_;
    inner_ = std::make_unique<Fft>(size_);
    std::vector<ComplexOf<T>> x(static_cast<size_t>(size_), ComplexOf<T>{}), work(static_cast<size_t>(size_));
    const T scale = static_cast<T>(1 / static_cast<double>(size_));
    for (int64_t k = 0, square = 0; k < n_; ++k) {  // square = k * k modulo 2 n
      const ComplexOf<T> w = detail::root_of_unity<T>(square, 2 * n_);
      chirp_.push_back(w);
      x[static_cast<size_t>(k)] = {w.r * scale, -w.i * scale};
      if (k > 0) x[static_cast<size_t>(size_ - k)] = x[static_cast<size_t>(k)];
      square = (square + 2 * k + 1) % (2 * n_);
    }
    const ComplexOf<T>* spectrum = inner_->run(x.data(), work.data());
    spectrum_.assign(spectrum, spectrum + size_);
  }

  int64_t n_, size_;
  std::vector<detail::FftPass> passes_;
  std::vector<ComplexOf<T>> twiddles_, roots_;
  std::unique_ptr<Fft> inner_;
  std::vector<ComplexOf<T>> chirp_, spectrum_;
};

enum class FftKind { forward, forward_real, inverse, inverse_real };  // real: of what goes in, or comes out

namespace detail {

template <class T>
struct FftLanes;
template <>
struct FftLanes<float> {
  typedef float type __attribute__((vector_size(32)));
};
template <>
struct FftLanes<double> {
  typedef double type __attribute__((vector_size(32)));
};

// z = a + i b, where a and b are spectra of real signals; parts swapped for the way back. z may be a.
template <class V>
void join_spectra(ComplexOf<V>* a, const ComplexOf<V>* b, int64_t n) {
  vectorize([=]() OG_SIMD {
    for (int64_t k = 0; 2 * k <= n; ++k) {
      const bool alone = k == 0 || 2 * k == n;
      const V ar = a[k].r, br = b[k].r, ai = alone ? V{} : a[k].i, bi = alone ? V{} : b[k].i;
      a[k].i = ar - bi, a[k].r = ai + br;
      if (!alone) a[n - k].i = ar + bi, a[n - k].r = br - ai;
    }
  });
}

// The spectra a and b of two real signals from that of a + i b, which `b` holds.
template <class T, class V>
void part_spectra(ComplexOf<V>* a, ComplexOf<V>* b, int64_t n) {
  vectorize([=]() OG_SIMD {
    for (int64_t k = 0; 2 * k <= n; ++k) {
      const int64_t mirror = k == 0 ? 0 : n - k;
      const V zr = b[k].r, zi = b[k].i, mr = b[mirror].r, mi = b[mirror].i;
      const V ar = (zr + mr) * T(0.5), ai = (zi - mi) * T(0.5), br = (zi + mi) * T(0.5), bi = (mr - zr) * T(0.5);
      a[mirror].r = ar, a[mirror].i = -ai, b[mirror].r = br, b[mirror].i = -bi;
      a[k].r = ar, a[k].i = ai, b[k].r = br, b[k].i = bi;
    }
  });
}

template <class V, class T, class Load, class Store>
void transform_groups(const Run& r, const Fft<T>& fft, FftKind kind, int64_t signals, const Load& load,
                      const Store& store) {
  constexpr int64_t kLanes = sizeof(V) / sizeof(T), kStep = 2 * kLanes;
  const bool real = kind == FftKind::forward_real || kind == FftKind::inverse_real;
  const int64_t group = kLanes * (real ? 2 : 1), groups = (signals + group - 1) / group;
  const int64_t n = fft.length(), size = fft.buffer_size() * kStep;
  constexpr size_t kAlign = 64;
  std::vector<T> memory(static_cast<size_t>(2 * size * (groups > 1 ? r.threads() : 1)) + kAlign / sizeof(T));
  const auto address = reinterpret_cast<uintptr_t>(memory.data());
  T* buffers = memory.data() + (kAlign - address % kAlign) % kAlign / sizeof(T);
  r.parallel_for(groups, std::max<int64_t>(1, 4096 / (n * group)), [&](int64_t begin, int64_t end, int32_t worker) {
    T* first = buffers + 2 * size * worker;
    T* second = first + size;
    const auto vectors = [](T* x) { return reinterpret_cast<ComplexOf<V>*>(x); };
    for (int64_t item = begin; item < end; ++item) {
      const int64_t base = item * group;
      for (int64_t lane = 0; lane < group && base + lane < signals; ++lane) {
        const int64_t at = lane % kLanes;
        T* part = first + at;
        if (kind == FftKind::forward)
          load(base + lane, part, part + kLanes, kStep);
        else if (kind == FftKind::inverse)
          load(base + lane, part + kLanes, part, kStep);
        else if (kind == FftKind::forward_real)
          load(base + lane, part + (lane < kLanes ? 0 : kLanes), static_cast<T*>(nullptr), kStep);
        else
          load(base + lane, (lane < kLanes ? first : second) + at, (lane < kLanes ? first : second) + at + kLanes,
               kStep);
      }
      if (kind == FftKind::inverse_real) join_spectra(vectors(first), vectors(second), n);
      T* result = reinterpret_cast<T*>(fft.run(vectors(first), vectors(second)));
      T* other = result == first ? second : first;
      if (kind == FftKind::forward_real) part_spectra<T>(vectors(other), vectors(result), n);
      for (int64_t lane = 0; lane < group && base + lane < signals; ++lane) {
        const int64_t at = lane % kLanes;
        const T* part = result + at;
        if (kind == FftKind::forward)
          store(base + lane, part, part + kLanes, kStep);
        else if (kind == FftKind::inverse)
          store(base + lane, part + kLanes, part, kStep);
        else if (kind == FftKind::forward_real)
          store(base + lane, (lane < kLanes ? other : result) + at, (lane < kLanes ? other : result) + at + kLanes,
                kStep);
        else
          store(base + lane, part + (lane < kLanes ? kLanes : 0), static_cast<const T*>(nullptr), kStep);
      }
    }
  });
}

}  // namespace detail

// Transforms many signals, in parallel. load(signal, re, im, step) puts element k of what goes in to re[k * step] and
// im[k * step]: n elements, n / 2 + 1 for inverse_real. store(signal, re, im, step) takes n elements. The side that is
// real has no `im`. What goes in along lanes without a signal does not matter. The inverse is not scaled.
template <class T, class Load, class Store>
void transform_signals(const Run& r, const Fft<T>& fft, FftKind kind, int64_t signals, const Load& load,
                       const Store& store) {
  if (signals <= 0) return;
  constexpr int64_t kLongestInLanes = 65536;  // longer ones would not stay in the cache
  const bool real = kind == FftKind::forward_real || kind == FftKind::inverse_real;
  if (signals > (real ? 2 : 1) && fft.length() <= kLongestInLanes)
    detail::transform_groups<typename detail::FftLanes<T>::type>(r, fft, kind, signals, load, store);
  else
    detail::transform_groups<T>(r, fft, kind, signals, load, store);
}

}  // namespace OG_HIDDEN
#endif  // OPGRAFT_FFT_H_
