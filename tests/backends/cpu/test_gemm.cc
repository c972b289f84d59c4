// GEMM service: every level, odd shapes, transposes, packing, batches, epilogues, threads, against float64.
#include "cpu_test.h"

namespace opgraft::cpu_test {
namespace {

struct Case {
  int64_t m, n, k;
  uint32_t flags = 0;
  int64_t extra = 0;  // added to every leading dimension
  int64_t batch = 1;
  bool share_b = false;
  int32_t threads = 1;
  int32_t scratch_threads = 0;  // 0 = threads
  float alpha = 1.0f;
  int32_t activation = OG_ACT_NONE;
  bool bias_m = false, bias_n = false;
  int residual = 0;  // 0 none, 1 matrix, 2 one row for all, 3 C itself
  bool residual_last = false;
};

std::string text(const Case& c) {
  return std::to_string(c.m) + "x" + std::to_string(c.n) + "x" + std::to_string(c.k) + " flags " +
         std::to_string(c.flags) + " extra " + std::to_string(c.extra) + " batch " + std::to_string(c.batch) +
         " activation " + std::to_string(c.activation) + " residual " + std::to_string(c.residual);
}

class Gemm : public ::testing::TestWithParam<int> {
 protected:
  void check(const Case& c);
};

void Gemm::check(const Case& c) {
  const og_cpu_gemm& table = *services(GetParam()).gemm;
  const bool trans_a = (c.flags & OG_GEMM_TRANS_A) != 0;
  const bool trans_b = (c.flags & OG_GEMM_TRANS_B) != 0;
  og_gemm g = og_gemm_init(c.m, c.n, c.k);
  g.flags = c.flags;
  g.lda = (trans_a ? c.m : c.k) + c.extra;
  g.ldb = (trans_b ? c.k : c.n) + c.extra;
  g.ldc = c.n + c.extra;
  g.batch = c.batch;
  g.stride_a = (trans_a ? c.k : c.m) * g.lda;
  g.stride_b = c.share_b ? 0 : (trans_b ? c.n : c.k) * g.ldb;
  g.stride_c = c.m * g.ldc;
  g.alpha = c.alpha;
  const auto a = random_floats(std::max<int64_t>(1, c.batch * g.stride_a), 1);
  const auto b = random_floats(std::max<int64_t>(1, (c.share_b ? 1 : c.batch) * (trans_b ? c.n : c.k) * g.ldb), 2);
  const auto bias_m = random_floats(c.m, 3);
  const auto bias_n = random_floats(c.n, 4);
  auto out = random_floats(std::max<int64_t>(1, c.batch * g.stride_c), 5);
  const std::vector<float> before = out;
  const auto matrix = random_floats(std::max<int64_t>(1, c.batch * g.stride_c), 6);

  og_epilogue e = og_epilogue_init();
  e.activation = c.activation;
  e.a = c.activation == OG_ACT_CLIP ? -0.3f : 0.2f;
  e.b = 0.6f;
  e.beta = 0.5f;
  e.residual_last = c.residual_last;
  if (c.bias_m) e.bias_m = bias_m.data();
  if (c.bias_n) e.bias_n = bias_n.data();
  const std::vector<float>& residual = c.residual == 3 ? before : matrix;
  if (c.residual != 0) {
    e.residual = c.residual == 3 ? out.data() : matrix.data();
    e.residual_ld = c.residual == 2 ? 0 : g.ldc;
    e.residual_stride = c.residual == 2 ? 0 : g.stride_c;
  }

  og_gemm plain = g;
  plain.flags &= ~static_cast<uint32_t>(OG_GEMM_PACKED_A | OG_GEMM_PACKED_B);
  Buffer packed_a(table.packed_a_bytes(&plain));
  Buffer packed_b(table.packed_b_bytes(&plain));
  const void* pa = a.data();
  const void* pb = b.data();
  if (c.flags & OG_GEMM_PACKED_A) {
    ASSERT_EQ(table.pack_a(&plain, a.data(), packed_a.get()), 0);
    pa = packed_a.get();
  }
  if (c.flags & OG_GEMM_PACKED_B) {
    ASSERT_EQ(table.pack_b(&plain, b.data(), packed_b.get()), 0);
    pb = packed_b.get();
  }
  {
    Buffer scratch(table.scratch_bytes(&g, c.scratch_threads > 0 ? c.scratch_threads : c.threads));
    const Threads threads(c.threads);
    ASSERT_EQ(table.run(&g, pa, pb, out.data(), &e, scratch.get(), c.threads > 1 ? threads.get() : nullptr), 0);
  }

  std::vector<double> want;
  std::vector<float> got;
  for (int64_t s = 0; s < c.batch; ++s)
    for (int64_t i = 0; i < c.m; ++i) {
      for (int64_t j = 0; j < c.n; ++j) {
        double sum = 0;
        for (int64_t k = 0; k < c.k; ++k) {
          const float x = a[static_cast<size_t>(s * g.stride_a + (trans_a ? k * g.lda + i : i * g.lda + k))];
          const float y = b[static_cast<size_t>(s * g.stride_b + (trans_b ? j * g.ldb + k : k * g.ldb + j))];
          sum += static_cast<double>(x) * y;
        }
        sum *= c.alpha;
        if (c.bias_m) sum += bias_m[static_cast<size_t>(i)];
        if (c.bias_n) sum += bias_n[static_cast<size_t>(j)];
        const size_t at = static_cast<size_t>(c.residual == 2 ? j : s * g.stride_c + i * g.ldc + j);
        const double added = c.residual != 0 ? 0.5 * residual[at] : 0;
        sum = c.residual_last ? apply_activation(c.activation, e.a, e.b, sum) + added
                              : apply_activation(c.activation, e.a, e.b, sum + added);
        want.push_back(sum);
        got.push_back(out[static_cast<size_t>(s * g.stride_c + i * g.ldc + j)]);
      }
      for (int64_t j = c.n; j < g.ldc; ++j)
        ASSERT_EQ(out[static_cast<size_t>(s * g.stride_c + i * g.ldc + j)],
                  before[static_cast<size_t>(s * g.stride_c + i * g.ldc + j)])
            << "written beside C: " << text(c);
    }
  expect_close(got, want, text(c));
}

TEST_P(Gemm, odd_shapes_with_every_transpose_and_packing) {
  const int64_t sizes[][3] = {{1, 1, 1},   {13, 17, 127}, {1, 127, 17}, {127, 1, 17}, {6, 16, 8},   {7, 33, 5},
                              {12, 32, 3}, {5, 8, 700},   {40, 24, 13}, {2, 3, 4},    {65, 49, 30}, {3, 100, 50}};
  for (const auto& s : sizes)
    for (uint32_t flags = 0; flags < 16; ++flags)
      for (int64_t extra : {0, 3}) check({s[0], s[1], s[2], flags, extra});
}

TEST_P(Gemm, empty_sizes) {
  for (uint32_t flags = 0; flags < 16; ++flags) {
    check({0, 5, 3, flags});
    check({5, 0, 3, flags});
    check({0, 0, 0, flags});
    Case c{4, 19, 0, flags};
    c.bias_n = true;
    check(c);
    c = {1, 19, 0, flags};
    c.bias_n = true;
    c.activation = OG_ACT_SIGMOID;
    check(c);
    check({7, 9, 3, flags, 0, 0});
  }
}

TEST_P(Gemm, every_epilogue) {
  for (int32_t activation = OG_ACT_NONE; activation <= OG_ACT_LEAKY_RELU; ++activation)
    for (int residual = 0; residual <= 3; ++residual)
      for (bool last : {false, true})
        for (const auto& [m, n, k] : {std::tuple<int64_t, int64_t, int64_t>{17, 37, 29}, {1, 37, 9}, {29, 1, 9}}) {
          if (last && residual == 3 && activation != OG_ACT_NONE) continue;
          Case c{m, n, k};
          c.activation = activation;
          c.residual = residual;
          c.residual_last = last;
          c.bias_m = residual != 1;
          c.bias_n = true;
          c.alpha = 0.75f;
          c.extra = 1;
          check(c);
        }
}

TEST_P(Gemm, long_sums_in_blocks_of_depth) {
  for (int residual : {0, 1, 3})
    for (uint32_t flags : {0u, 4u, 8u, 12u}) {
      Case c{20, 40, 1500, flags};
      c.residual = residual;
      c.bias_n = true;
      check(c);
    }
}

TEST_P(Gemm, batches_shared_and_not) {
  for (uint32_t flags = 0; flags < 16; ++flags)
    for (bool share : {false, true})
      for (int residual : {0, 1, 2})
        for (int64_t m : {1, 9}) {
          Case c{m, 21, 11, flags, 0, 3, share};
          c.residual = residual;
          c.bias_m = m == 9 && residual == 2;
          check(c);
        }
}

TEST_P(Gemm, threads_share_the_work) {
  for (uint32_t flags : {0u, 2u, 4u, 8u, 12u})
    for (int64_t batch : {1, 2, 7}) {
      Case c{70, 90, 60, flags, 0, batch};
      c.threads = 4;
      c.bias_n = true;
      c.activation = OG_ACT_TANH;
      check(c);
      c.m = 1;
      c.n = 700;
      check(c);
      c.m = 900;
      c.n = 1;
      check(c);
    }
}

TEST_P(Gemm, fewer_threads_than_the_scratch_is_for) {
  for (int32_t threads : {1, 2, 3, 5})
    for (int64_t batch : {1, 2, 4}) {
      Case c{30, 40, 20, OG_GEMM_TRANS_B, 0, batch};
      c.threads = threads;
      c.scratch_threads = 8;
      check(c);
    }
}

TEST_P(Gemm, batch_offsets_broadcast) {
  const og_cpu_gemm& table = *services(GetParam()).gemm;
  const int64_t m = 5, n = 18, k = 7;
  const auto a = random_floats(2 * m * k, 1);
  const auto b = random_floats(3 * k * n, 2);
  std::vector<float> out(static_cast<size_t>(6 * m * n));
  std::vector<int64_t> offsets_a, offsets_b, offsets_c;
  for (int64_t i = 0; i < 2; ++i)
    for (int64_t j = 0; j < 3; ++j) {
      offsets_a.push_back(i * m * k);
      offsets_b.push_back(j * k * n);
      offsets_c.push_back((i * 3 + j) * m * n);
    }
  og_gemm g = og_gemm_init(m, n, k);
  g.batch = 6;
  g.offsets_a = offsets_a.data();
  g.offsets_b = offsets_b.data();
  g.offsets_c = offsets_c.data();
  Buffer scratch(table.scratch_bytes(&g, 1));
  ASSERT_EQ(table.run(&g, a.data(), b.data(), out.data(), nullptr, scratch.get(), nullptr), 0);
  std::vector<double> want;
  for (int64_t s = 0; s < 6; ++s)
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        double sum = 0;
        for (int64_t x = 0; x < k; ++x)
          sum += static_cast<double>(a[static_cast<size_t>(s / 3 * m * k + i * k + x)]) *
                 b[static_cast<size_t>(s % 3 * k * n + x * n + j)];
        want.push_back(sum);
      }
  expect_close(out, want, "batch offsets");
}

TEST_P(Gemm, nan_reaches_the_output_through_relu) {
  const og_cpu_gemm& table = *services(GetParam()).gemm;
  std::vector<float> a(20 * 4, 1.0f), b(4 * 20, 1.0f), c(400);
  a[5] = NAN;
  og_gemm g = og_gemm_init(20, 20, 4);
  og_epilogue e = og_epilogue_init();
  e.activation = OG_ACT_RELU;
  Buffer scratch(table.scratch_bytes(&g, 1));
  ASSERT_EQ(table.run(&g, a.data(), b.data(), c.data(), &e, scratch.get(), nullptr), 0);
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(c[static_cast<size_t>(i)], 4.0f);
    EXPECT_TRUE(std::isnan(c[static_cast<size_t>(20 + i)]));
  }
}

TEST_P(Gemm, a_wrong_descriptor_is_refused) {
  const og_cpu_gemm& table = *services(GetParam()).gemm;
  og_gemm g = og_gemm_init(2, -1, 3);
  EXPECT_NE(table.run(&g, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr), 0);
  g = og_gemm_init(2, 2, 2);
  g.size = 8;
  EXPECT_NE(table.run(&g, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr), 0);
}

INSTANTIATE_TEST_SUITE_P(Levels, Gemm, ::testing::ValuesIn(levels()), level_name);

}  // namespace
}  // namespace opgraft::cpu_test
