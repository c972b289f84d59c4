// Convolution of 8-bit tensors summed exactly in 32 bits: windows as columns, then the integer product.
#ifndef OPGRAFT_INTEGER_CONV_H_
#define OPGRAFT_INTEGER_CONV_H_

#include <vector>

#include "opgraft/conv.h"
#include "opgraft/integer_matmul.h"

namespace opgraft OG_HIDDEN {

// Output dims of an integer convolution of the inputs at `x` and `w`; nothing when a rank is unknown.
inline std::optional<Dims> integer_conv_dims(const Infer& c, int x_index, int w_index) {
  if (!c.ranked(x_index) || !c.ranked(w_index)) return std::nullopt;
  const Dims x = c.dims(x_index), w = c.dims(w_index);
  check_ranks(x, w);
  const int64_t group = c.get("group", int64_t(1));
  if (group < 1) fail("group = " + std::to_string(group) + " must be at least 1");
  check_channels(x[1], c.mul(w[1], group), "channels of x must be dim 1 of w times group");
  if (is_known(w[0]) && w[0] % group != 0)
    fail("dim 0 of w, " + std::to_string(w[0]) + ", is not a multiple of group = " + std::to_string(group));
  const Windows windows = read_windows(c, kernel_sizes(c, w));
  Dims y{x[0], w[0]};
  for (int i = 0; i < windows.spatial(); ++i) y.push_back(window_count(c, windows, i, x[static_cast<size_t>(i) + 2]));
  return y;
}

// Numbers come without zero points. visit(sums of one output plane, batch entry, output channel), from many threads.
template <class F>
void integer_conv(Run& r, const Tensor& x, const std::vector<int16_t>& numbers, const Tensor& w,
                  const std::vector<int16_t>& weights, const Dims& y, F visit) {
  const Dims x_dims = x.shape(), w_dims = w.shape();
  const WindowGeometry g = window_geometry(read_windows(r, kernel_sizes(r, w_dims)), x_dims, y);
  const int64_t group = r.get("group", int64_t(1)), in = w_dims[1], out = w_dims[0] / group;
  const int64_t plane = g.in_size(), positions = g.out_size(), taps = g.taps(), depth = in * taps;
  if (positions == 0 || out == 0) return;
  std::vector<int16_t> columns(static_cast<size_t>(depth * positions));
  for (int64_t n = 0; n < x_dims[0]; ++n)
    for (int64_t which = 0; which < group; ++which) {
      const int16_t* from = numbers.data() + (n * group + which) * in * plane;
      r.parallel_for(in, 1, [&](int64_t begin, int64_t end) {
        for (int64_t channel = begin; channel < end; ++channel) {
          int16_t* to = columns.data() + channel * taps * positions;
          std::fill(to, to + taps * positions, int16_t(0));
          int64_t tap = 0;
          for (int64_t a = 0; a < g.kernel[0]; ++a)
            for (int64_t b = 0; b < g.kernel[1]; ++b)
              for (int64_t c = 0; c < g.kernel[2]; ++c, ++tap) {
                const TapRange z = tap_range(g, 0, a), v = tap_range(g, 1, b), u = tap_range(g, 2, c);
                for (int64_t i = z.begin; i < z.end; ++i)
                  for (int64_t j = v.begin; j < v.end; ++j) {
                    const int16_t* row = from + channel * plane +
                                         ((z.first + i * g.stride[0]) * g.in[1] + v.first + j * g.stride[1]) * g.in[2] +
                                         u.first;
                    int16_t* target = to + tap * positions + (i * g.out[1] + j) * g.out[2];
                    for (int64_t k = u.begin; k < u.end; ++k) target[k] = row[k * g.stride[2]];
                  }
              }
        }
      });
      r.parallel_for(out, std::max<int64_t>(1, 65536 / std::max<int64_t>(1, depth * positions)),
                     [&](int64_t begin, int64_t end) {
                       std::vector<int32_t> sums(static_cast<size_t>(positions));
                       for (int64_t m = begin; m < end; ++m) {
                         integer_product(weights.data() + (which * out + m) * depth, columns.data(), sums.data(), 1,
                                         positions, depth);
                         visit(sums.data(), n, which * out + m);
                       }
                     });
    }
}

}  // namespace OG_HIDDEN
#endif  // OPGRAFT_INTEGER_CONV_H_
