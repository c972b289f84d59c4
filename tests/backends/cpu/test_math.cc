// Row mathematics service: accuracy over the whole range, special values, softmax, layer normalisation, reductions,
// LSTM cell.
#include <limits>

#include "cpu_test.h"

namespace opgraft::cpu_test {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

class Math : public ::testing::TestWithParam<int> {
 protected:
  const og_cpu_math& table() { return *services(GetParam()).math; }

  // |y - y64| <= relative * |y64| + absolute for values spread over [low, high].
  void check_function(og_unary_row_fn function, double (*exact)(double), float low, float high, double relative,
                      double absolute, const char* name) {
    const int64_t count = 200003;
    std::vector<float> x = random_floats(count, 11, low, high);
    for (int64_t i = 0; i < 1000; ++i) x[static_cast<size_t>(i)] = low + (high - low) * static_cast<float>(i) / 999.0f;
    std::vector<float> y(x.size());
    function(x.data(), y.data(), count);
    double worst = 0;
    float where = 0;
    for (size_t i = 0; i < x.size(); ++i) {
      const double want = exact(x[i]);
      const double error = std::fabs(y[i] - want) / (relative * std::fabs(want) + absolute);
      if (!(error <= worst)) {
        worst = error;
        where = x[i];
      }
    }
    EXPECT_LE(worst, 1.0) << name << "(" << where << "), in units of the bound";
  }
};

double exact_exp(double x) { return std::exp(x); }
double exact_log(double x) { return std::log(x); }
double exact_tanh(double x) { return std::tanh(x); }
double exact_erf(double x) { return std::erf(x); }
double exact_sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double exact_silu(double x) { return x / (1 + std::exp(-x)); }
double exact_gelu(double x) { return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0))); }
double exact_gelu_tanh(double x) { return apply_activation(OG_ACT_GELU_TANH, 0, 0, x); }

TEST_P(Math, functions_are_accurate) {
  const double tiny = 1.2e-38;
  check_function(table().exp, exact_exp, -87.0f, 88.7f, 4e-7, tiny, "exp");
  check_function(table().exp, exact_exp, -1.0f, 1.0f, 4e-7, tiny, "exp");
  check_function(table().exp, exact_exp, -103.0f, -86.0f, 4e-7, 3e-45, "exp");
  check_function(table().log, exact_log, 1e-30f, 10.0f, 4e-7, 1e-9, "log");
  check_function(table().log, exact_log, 0.9f, 1.1f, 4e-7, 1e-12, "log");
  check_function(table().log, exact_log, 1.0f, 3e38f, 4e-7, tiny, "log");
  check_function(table().log, exact_log, 1e-45f, 1e-37f, 4e-7, tiny, "log");
  check_function(table().tanh, exact_tanh, -10.0f, 10.0f, 4e-7, tiny, "tanh");
  check_function(table().tanh, exact_tanh, -1e-3f, 1e-3f, 4e-7, tiny, "tanh");
  check_function(table().erf, exact_erf, -5.0f, 5.0f, 5e-7, tiny, "erf");
  check_function(table().erf, exact_erf, -1e-3f, 1e-3f, 5e-7, tiny, "erf");
  check_function(table().sigmoid, exact_sigmoid, -80.0f, 80.0f, 6e-7, tiny, "sigmoid");
  check_function(table().silu, exact_silu, -80.0f, 80.0f, 6e-7, tiny, "silu");
  check_function(table().gelu_erf, exact_gelu, -8.0f, 8.0f, 1e-6, 1e-6, "gelu");
  check_function(table().gelu_tanh, exact_gelu_tanh, -8.0f, 8.0f, 1e-6, 1e-6, "gelu by tanh");
}

TEST_P(Math, special_values) {
  const auto at = [](og_unary_row_fn function, float x) {
    float y = 0;
    function(&x, &y, 1);
    std::vector<float> row(37, x), out(37);
    function(row.data(), out.data(), 37);
    for (float v : out) EXPECT_EQ(std::memcmp(&v, &y, sizeof v), 0) << x;
    return y;
  };
  const og_cpu_math& m = table();
  EXPECT_EQ(at(m.exp, -kInf), 0.0f);
  EXPECT_EQ(at(m.exp, -200.0f), 0.0f);
  EXPECT_EQ(at(m.exp, kInf), kInf);
  EXPECT_EQ(at(m.exp, 100.0f), kInf);
  EXPECT_EQ(at(m.exp, 0.0f), 1.0f);
  EXPECT_EQ(at(m.log, 0.0f), -kInf);
  EXPECT_EQ(at(m.log, -0.0f), -kInf);
  EXPECT_EQ(at(m.log, kInf), kInf);
  EXPECT_EQ(at(m.log, 1.0f), 0.0f);
  EXPECT_TRUE(std::isnan(at(m.log, -1.0f)));
  EXPECT_TRUE(std::isnan(at(m.log, -kInf)));
  EXPECT_EQ(at(m.tanh, kInf), 1.0f);
  EXPECT_EQ(at(m.tanh, -kInf), -1.0f);
  EXPECT_TRUE(std::signbit(at(m.tanh, -0.0f)));
  EXPECT_EQ(at(m.erf, kInf), 1.0f);
  EXPECT_EQ(at(m.erf, -kInf), -1.0f);
  EXPECT_EQ(at(m.sigmoid, kInf), 1.0f);
  EXPECT_EQ(at(m.sigmoid, -kInf), 0.0f);
  EXPECT_EQ(at(m.relu, kInf), kInf);
  EXPECT_EQ(at(m.relu, -kInf), 0.0f);
  EXPECT_EQ(at(m.hard_swish, 10.0f), 10.0f);
  EXPECT_EQ(at(m.hard_swish, -10.0f), 0.0f);
  for (og_unary_row_fn function :
       {m.exp, m.log, m.tanh, m.sigmoid, m.erf, m.relu, m.silu, m.gelu_erf, m.gelu_tanh, m.hard_swish})
    EXPECT_TRUE(std::isnan(at(function, NAN)));
}

TEST_P(Math, activations_in_place_and_not) {
  for (int64_t n : {0, 1, 7, 8, 13, 17, 127}) {
    const auto x = random_floats(n, 3, -6.0f, 6.0f);
    for (int32_t activation = OG_ACT_NONE; activation <= OG_ACT_LEAKY_RELU; ++activation) {
      const float a = activation == OG_ACT_CLIP ? -1.0f : 0.25f, b = activation == OG_ACT_CLIP ? 2.0f : 0.5f;
      std::vector<double> want;
      for (float v : x) want.push_back(apply_activation(activation, a, b, v));
      std::vector<float> y(x.size()), in_place = x;
      table().activate(activation, a, b, x.data(), y.data(), n);
      table().activate(activation, a, b, in_place.data(), in_place.data(), n);
      expect_close(y, want, "activation " + std::to_string(activation));
      EXPECT_EQ(y, in_place);
    }
  }
}

TEST_P(Math, softmax) {
  for (int64_t n : {1, 2, 7, 13, 17, 127, 1000}) {
    auto x = random_floats(n, 5, -30.0f, 30.0f);
    if (n > 2) x[1] = -kInf;
    double most = -INFINITY, total = 0;
    for (float v : x) most = std::max(most, static_cast<double>(v));
    for (float v : x) total += std::exp(v - most);
    std::vector<double> want, want_log;
    for (float v : x) want.push_back(std::exp(v - most) / total);
    for (float v : x) want_log.push_back(v - most - std::log(total));
    std::vector<float> y(x.size()), z(x.size());
    table().softmax(x.data(), y.data(), n);
    table().log_softmax(x.data(), z.data(), n);
    expect_close(y, want, "softmax");
    if (n > 2) {
      EXPECT_EQ(z[1], -kInf);
      z[1] = 0;
      want_log[1] = 0;
    }
    expect_close(z, want_log, "log_softmax");
  }
  std::vector<float> x = {1.0f, NAN, 2.0f}, y(3);
  table().softmax(x.data(), y.data(), 3);
  for (float v : y) EXPECT_TRUE(std::isnan(v));
  table().softmax(x.data(), y.data(), 0);
}

TEST_P(Math, layer_norm_with_a_large_mean) {
  for (int64_t n : {1, 7, 13, 17, 127, 768, 20000})
    for (bool affine : {false, true}) {
      const auto x = random_floats(n, 6, 999.0f, 1001.0f);
      const auto scale = random_floats(n, 7), bias = random_floats(n, 8);
      double mean = 0, variance = 0;
      for (float v : x) mean += v;
      mean /= static_cast<double>(n);
      for (float v : x) variance += (v - mean) * (v - mean);
      variance /= static_cast<double>(n);
      std::vector<double> want;
      for (size_t i = 0; i < x.size(); ++i) {
        const double v = (x[i] - mean) / std::sqrt(variance + 1e-5);
        want.push_back(affine ? v * scale[i] + bias[i] : v);
      }
      std::vector<float> y(x.size());
      float got_mean = 0, got_inv = 0;
      table().layer_norm(x.data(), affine ? scale.data() : nullptr, affine ? bias.data() : nullptr, 1e-5f, y.data(), n,
                         &got_mean, &got_inv);
      expect_close(y, want, "layer_norm of " + std::to_string(n));
      EXPECT_NEAR(got_mean, mean, 1e-4);
      if (n > 1) {
        EXPECT_NEAR(got_inv * std::sqrt(variance + 1e-5), 1.0, 1e-5);
      }
    }
  const auto x = random_floats(500, 9);
  double mean = 0, variance = 0;
  for (float v : x) mean += v / 500.0;
  for (float v : x) variance += (v - mean) * (v - mean) / 500.0;
  std::vector<double> want;
  for (float v : x) want.push_back((v - mean) / std::sqrt(variance + 1e-5));
  std::vector<float> y(500);
  table().layer_norm(x.data(), nullptr, nullptr, 1e-5f, y.data(), 500, nullptr, nullptr);
  expect_close(y, want, "layer_norm");
}

TEST_P(Math, reductions) {
  for (int64_t n : {0, 1, 7, 13, 17, 127, 100000}) {
    const auto x = random_floats(n, 9), y = random_floats(n, 10);
    double sum = 0, squares = 0, dot = 0, scale = 1e-30;
    float most = -kInf, least = kInf;
    for (size_t i = 0; i < x.size(); ++i) {
      sum += x[i];
      squares += static_cast<double>(x[i]) * x[i];
      dot += static_cast<double>(x[i]) * y[i];
      scale += std::fabs(x[i]);
      most = std::max(most, x[i]);
      least = std::min(least, x[i]);
    }
    EXPECT_NEAR(table().sum(x.data(), n), sum, 1e-6 * scale);
    EXPECT_NEAR(table().sum_of_squares(x.data(), n), squares, 1e-6 * scale);
    EXPECT_NEAR(table().dot(x.data(), y.data(), n), dot, 1e-6 * scale);
    EXPECT_EQ(table().max(x.data(), n), most);
    EXPECT_EQ(table().min(x.data(), n), least);
  }
  for (size_t at : {0, 5, 30, 40}) {
    std::vector<float> x(41, 1.0f);
    x[at] = NAN;
    EXPECT_TRUE(std::isnan(table().max(x.data(), 41))) << at;
    EXPECT_TRUE(std::isnan(table().min(x.data(), 41))) << at;
    EXPECT_TRUE(std::isnan(table().sum(x.data(), 41))) << at;
  }
}

TEST_P(Math, lstm_cell) {
  const auto sigmoid = [](double v) { return 1 / (1 + std::exp(-v)); };
  for (int64_t hidden : {1, 7, 8, 17, 127})
    for (bool peephole : {false, true})
      for (float clip : {0.0f, 0.5f}) {
        const auto gates = random_floats(4 * hidden, 1, -3.0f, 3.0f), weights = random_floats(3 * hidden, 2);
        auto cell = random_floats(hidden, 3);
        std::vector<float> h(cell.size());
        std::vector<double> want_cell, want_h;
        const auto limit = [clip](double v) {
          return clip > 0 ? std::min<double>(std::max<double>(v, -clip), clip) : v;
        };
        for (int64_t j = 0; j < hidden; ++j) {
          const auto gate = [&](int64_t g) { return static_cast<double>(gates[static_cast<size_t>(g * hidden + j)]); };
          const auto weight = [&](int64_t g) {
            return peephole ? static_cast<double>(weights[static_cast<size_t>(g * hidden + j)]) : 0.0;
          };
          const double old = cell[static_cast<size_t>(j)];
          const double fresh = sigmoid(limit(gate(2) + weight(2) * old)) * old +
                               sigmoid(limit(gate(0) + weight(0) * old)) * std::tanh(limit(gate(3)));
          want_cell.push_back(fresh);
          want_h.push_back(sigmoid(limit(gate(1) + weight(1) * fresh)) * std::tanh(fresh));
        }
        table().lstm_cell(gates.data(), peephole ? weights.data() : nullptr, clip, cell.data(), h.data(), hidden);
        expect_close(cell, want_cell, "cell");
        expect_close(h, want_h, "h");
      }
}

INSTANTIATE_TEST_SUITE_P(Levels, Math, ::testing::ValuesIn(levels()), level_name);

TEST(Detect, a_level_can_be_forced_and_errors_are_text) {
  const char* before = std::getenv("OPGRAFT_CPU");
  const std::string saved = before ? before : "";
  const char* error = nullptr;
  setenv("OPGRAFT_CPU", "scalar", 1);
  EXPECT_EQ(opgraft_cpu_detect(&error), 0);
  setenv("OPGRAFT_CPU", "sse9", 1);
  EXPECT_EQ(opgraft_cpu_detect(&error), -1);
  ASSERT_NE(error, nullptr);
  EXPECT_NE(std::string(error).find("scalar, avx2 or avx512"), std::string::npos);
  if (before)
    setenv("OPGRAFT_CPU", saved.c_str(), 1);
  else
    unsetenv("OPGRAFT_CPU");
}

}  // namespace
}  // namespace opgraft::cpu_test
