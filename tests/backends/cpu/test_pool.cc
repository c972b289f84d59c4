// Pooling service: every level, 1 to 3 dims, strides, dilations, padding, both ways to count, against float64.
#include "cpu_test.h"

namespace opgraft::cpu_test {
namespace {

struct Case {
  int32_t spatial = 2;
  int64_t planes = 3;
  std::vector<int64_t> in{}, kernel{}, stride{}, dilation{}, pad_begin{}, pad_end{};
  bool count_include_pad = false;
  bool ceil = false;
  int32_t threads = 1;
};

class Pool : public ::testing::TestWithParam<int> {
 protected:
  void check(const Case& c);
  void check_kind(const Case& c, int32_t kind);
};

void Pool::check(const Case& c) {
  check_kind(c, OG_POOL_MAX);
  check_kind(c, OG_POOL_AVERAGE);
}

void Pool::check_kind(const Case& c, int32_t kind) {
  const og_cpu_pool& table = *services(GetParam()).pool;
  og_pool p = og_pool_init(kind, c.spatial);
  p.planes = c.planes;
  p.count_include_pad = c.count_include_pad;
  int64_t in_size = 1, out_size = 1, taps = 1;
  std::string what = "kind " + std::to_string(kind) + " include pad " + std::to_string(c.count_include_pad);
  for (size_t i = 0; i < static_cast<size_t>(c.spatial); ++i) {
    p.in[i] = c.in[i];
    p.kernel[i] = c.kernel[i];
    p.stride[i] = c.stride.empty() ? 1 : c.stride[i];
    p.dilation[i] = c.dilation.empty() ? 1 : c.dilation[i];
    p.pad_begin[i] = c.pad_begin.empty() ? 0 : c.pad_begin[i];
    p.pad_end[i] = c.pad_end.empty() ? p.pad_begin[i] : c.pad_end[i];
    const int64_t room = p.in[i] + p.pad_begin[i] + p.pad_end[i] - (p.kernel[i] - 1) * p.dilation[i] - 1;
    p.out[i] = (room + (c.ceil ? p.stride[i] - 1 : 0)) / p.stride[i] + 1;
    in_size *= p.in[i];
    out_size *= p.out[i];
    taps *= p.kernel[i];
    what += ", in " + std::to_string(p.in[i]) + " kernel " + std::to_string(p.kernel[i]) + " stride " +
            std::to_string(p.stride[i]) + " dilation " + std::to_string(p.dilation[i]);
  }
  const auto x =
      random_floats(c.planes * in_size, 1, kind == OG_POOL_MAX ? -5.0f : -1.0f, kind == OG_POOL_MAX ? -1.0f : 1.0f);
  std::vector<float> got(static_cast<size_t>(c.planes * out_size), 7.0f);
  {
    Buffer scratch(table.scratch_bytes(&p, c.threads));
    const Threads threads(c.threads);
    ASSERT_EQ(table.run(&p, x.data(), got.data(), scratch.get(), c.threads > 1 ? threads.get() : nullptr), 0);
  }
  std::vector<double> want;
  for (int64_t n = 0; n < c.planes; ++n)
    for (int64_t o = 0; o < out_size; ++o) {
      double best = -INFINITY, sum = 0;
      int64_t count = 0;
      for (int64_t t = 0; t < taps; ++t) {
        int64_t rest_out = o, rest_tap = t, at = 0, scale = 1;
        bool inside = true, counted = true;
        for (int32_t i = c.spatial - 1; i >= 0; --i) {
          const int64_t position =
              rest_out % p.out[i] * p.stride[i] - p.pad_begin[i] + rest_tap % p.kernel[i] * p.dilation[i];
          rest_out /= p.out[i];
          rest_tap /= p.kernel[i];
          inside = inside && position >= 0 && position < p.in[i];
          counted = counted &&
                    (c.count_include_pad ? position < p.in[i] + p.pad_end[i] : position >= 0 && position < p.in[i]);
          at += position * scale;
          scale *= p.in[i];
        }
        if (counted) ++count;
        if (!inside) continue;
        const double v = x[static_cast<size_t>(n * in_size + at)];
        best = std::max(best, v);
        sum += v;
      }
      want.push_back(kind == OG_POOL_MAX ? best : count > 0 ? sum / static_cast<double>(count) : 0);
    }
  for (size_t i = 0; i < want.size(); ++i)
    if (std::isinf(want[i])) {
      EXPECT_EQ(got[i], want[i]) << what;
      want[i] = got[i] = 0;
    }
  expect_close(got, want, what);
}

TEST_P(Pool, windows_of_many_sizes) {
  for (int64_t kernel : {1, 2, 3, 5})
    for (int64_t stride : {1, 2, 3})
      for (int64_t size : {5, 7, 8, 13, 17, 33})
        for (bool include : {false, true})
          check(
              {2, 3, {size, size + 2}, {kernel, kernel}, {stride, stride}, {}, {kernel / 2, kernel / 2}, {}, include});
}

TEST_P(Pool, uneven_windows_dilations_and_ceil) {
  for (bool include : {false, true})
    for (bool ceil : {false, true}) {
      check({2, 2, {9, 12}, {3, 2}, {2, 1}, {}, {1, 0}, {0, 1}, include, ceil});
      check({2, 2, {9, 12}, {2, 3}, {1, 2}, {2, 3}, {1, 2}, {1, 1}, include, ceil});
      check({2, 2, {9, 12}, {2, 2}, {3, 3}, {}, {}, {}, include, ceil});
      check({2, 2, {3, 3}, {2, 2}, {1, 1}, {}, {3, 3}, {3, 3}, include, ceil});
    }
}

TEST_P(Pool, one_and_three_dims) {
  check({1, 4, {127}, {5}, {3}, {}, {2}});
  check({1, 1, {9000}, {2}, {2}});
  check({3, 2, {5, 6, 17}, {2, 3, 2}, {1, 2, 2}, {}, {1, 1, 1}, {}, true});
}

TEST_P(Pool, large_planes_in_blocks) {
  check({2, 2, {112, 112}, {3, 3}, {2, 2}, {}, {1, 1}});
  check({2, 1, {150, 260}, {3, 3}, {1, 1}, {}, {1, 1}, {}, true});
}

TEST_P(Pool, threads_share_the_work) {
  Case c{2, 50, {40, 41}, {3, 3}, {1, 1}, {}, {1, 1}};
  c.threads = 4;
  check(c);
}

TEST_P(Pool, empty_sizes) {
  check({2, 0, {4, 4}, {2, 2}});
  check({2, 2, {0, 4}, {1, 1}});
}

TEST_P(Pool, nan_reaches_its_windows) {
  const og_cpu_pool& table = *services(GetParam()).pool;
  for (int32_t kind : {OG_POOL_MAX, OG_POOL_AVERAGE}) {
    og_pool p = og_pool_init(kind, 1);
    p.planes = 1;
    p.in[0] = 40;
    p.kernel[0] = 3;
    p.out[0] = 38;
    std::vector<float> x(40, 1.0f), y(38);
    x[20] = NAN;
    Buffer scratch(table.scratch_bytes(&p, 1));
    ASSERT_EQ(table.run(&p, x.data(), y.data(), scratch.get(), nullptr), 0);
    for (size_t i = 0; i < 38; ++i) EXPECT_EQ(std::isnan(y[i]), i >= 18 && i <= 20) << i;
  }
}

TEST_P(Pool, global) {
  const og_cpu_pool& table = *services(GetParam()).pool;
  for (int64_t count : {1, 7, 49, 127, 30000}) {
    const auto x = random_floats(5 * count, 1);
    std::vector<float> most(5), mean(5);
    const Threads threads(3);
    ASSERT_EQ(table.global(OG_POOL_MAX, 5, count, x.data(), most.data(), threads.get()), 0);
    ASSERT_EQ(table.global(OG_POOL_AVERAGE, 5, count, x.data(), mean.data(), nullptr), 0);
    std::vector<double> want_most, want_mean;
    for (int64_t i = 0; i < 5; ++i) {
      double best = -INFINITY, sum = 0;
      for (int64_t j = 0; j < count; ++j) {
        const double v = x[static_cast<size_t>(i * count + j)];
        best = std::max(best, v);
        sum += v;
      }
      want_most.push_back(best);
      want_mean.push_back(sum / static_cast<double>(count));
    }
    expect_close(most, want_most, "max");
    expect_close(mean, want_mean, "mean");
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, Pool, ::testing::ValuesIn(levels()), level_name);

}  // namespace
}  // namespace opgraft::cpu_test
