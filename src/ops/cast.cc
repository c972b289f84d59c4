// Cast: elements converted to another type.
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include <opgraft/axes.h>
#include <opgraft/narrow.h>
#include <opgraft/pointwise.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif
using namespace opgraft;
namespace {

// float to integer cuts off the fraction; what does not fit, or is NaN, has no defined result in ONNX: here it
// saturates (NaN gives 0). To bool: anything but zero is true.
template <class From, class To>
OG_INLINE To convert(From x) {
  if constexpr (std::is_same_v<To, bool>) {
    return x != From(0);
  } else if constexpr (std::is_same_v<From, half_t> || std::is_same_v<From, bfloat_t>) {
    return convert<float, To>(static_cast<float>(x));
  } else if constexpr (std::is_same_v<To, half_t> || std::is_same_v<To, bfloat_t>) {
    return To(static_cast<float>(x));
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    // Largest From that the integer type can hold.
    constexpr From kHigh = static_cast<From>(std::numeric_limits<To>::max() / 2 + 1) * From(2);
    constexpr From kLow = static_cast<From>(std::numeric_limits<To>::lowest());
    if constexpr (sizeof(To) < 4) {  // without branches, so that the loop vectorises
      const From number = x == x ? x : From(0);
      const From raised = number < kLow ? kLow : number;
      return static_cast<To>(static_cast<int32_t>(raised > kHigh - From(1) ? kHigh - From(1) : raised));
    }
    if (!(x == x)) return To(0);
    if (x >= kHigh) return std::numeric_limits<To>::max();
    return x <= kLow ? std::numeric_limits<To>::lowest() : static_cast<To>(x);
  } else {
    return static_cast<To>(x);
  }
}
template <>
OG_INLINE bool convert<half_t, bool>(half_t x) {
  return (x.bits & 0x7fffu) != 0;
}
template <>
OG_INLINE bool convert<bfloat_t, bool>(bfloat_t x) {
  return (x.bits & 0x7fffu) != 0;
}

#if defined(__x86_64__)
// GCC and clang make no F16C instructions of plain loops.
__attribute__((target("avx2,f16c"))) void convert_row(const half_t* x, float* y, int64_t n) {
  int64_t i = 0;
  for (; i + 8 <= n; i += 8)
    _mm256_storeu_ps(y + i, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(x + i))));
  for (; i < n; ++i) y[i] = _mm_cvtss_f32(_mm_cvtph_ps(_mm_cvtsi32_si128(x[i].bits)));
}
__attribute__((target("avx2,f16c"))) void convert_row(const float* x, half_t* y, int64_t n) {
  int64_t i = 0;
  for (; i + 8 <= n; i += 8)
    _mm_storeu_si128(reinterpret_cast<__m128i*>(y + i), _mm256_cvtps_ph(_mm256_loadu_ps(x + i), 0));
  for (; i < n; ++i) y[i].bits = static_cast<uint16_t>(_mm_cvtsi128_si32(_mm_cvtps_ph(_mm_set_ss(x[i]), 0)));
}
#endif

// Numbers of float that fit int32 go that way: there is no vector instruction to int64 before AVX-512.
inline OG_SIMD bool all_fit_int32(const float* x, int64_t n) {
  int outside = 0;
  for (int64_t i = 0; i < n; ++i) outside |= std::fabs(x[i]) < 2147483648.0f ? 0 : 1;
  return outside == 0;
}

template <class From, class To>
void convert_range(const From* x, To* y, int64_t n) {
#if defined(__x86_64__)
  if constexpr ((std::is_same_v<From, half_t> && std::is_same_v<To, float>) ||
                (std::is_same_v<From, float> && std::is_same_v<To, half_t>))
    if (detail::simd_level() >= 1) return convert_row(x, y, n);
#endif
  vectorize([=]() OG_SIMD {
    if constexpr (std::is_same_v<From, float> && std::is_same_v<To, int64_t>) {
      constexpr int64_t kBlock = 512;
      for (int64_t first = 0; first < n; first += kBlock) {
        const int64_t last = std::min(n, first + kBlock);
        if (all_fit_int32(x + first, last - first))
          for (int64_t i = first; i < last; ++i) y[i] = static_cast<int32_t>(x[i]);
        else
          for (int64_t i = first; i < last; ++i) y[i] = convert<From, To>(x[i]);
      }
    } else {
      for (int64_t i = 0; i < n; ++i) y[i] = convert<From, To>(x[i]);
    }
  });
}

template <class From, class To>
void convert_all(Run& r) {
  const From* x = r.in<From>(0);
  To* y = r.out<To>(0);
  r.parallel_for(r.input(0).numel(), kPointwiseGrain,
                 [=](int64_t begin, int64_t end) { convert_range(x + begin, y + begin, end - begin); });
}

template <class F>
void with_type(dtype type, F&& fn) {
  switch (type) {
    case f32:
      return fn(float{});
    case f64:
      return fn(double{});
    case f16:
      return fn(half_t{});
    case bf16:
      return fn(bfloat_t{});
    case i8:
      return fn(int8_t{});
    case i16:
      return fn(int16_t{});
    case i32:
      return fn(int32_t{});
    case i64:
      return fn(int64_t{});
    case u8:
      return fn(uint8_t{});
    case u16:
      return fn(uint16_t{});
    case u32:
      return fn(uint32_t{});
    case u64:
      return fn(uint64_t{});
    case boolean:
      return fn(bool{});
    default:
      fail(std::string("element type ") + dtype_name(type) + " cannot be converted");
  }
}

template <class T>
std::string print(T value) {
  if constexpr (std::is_same_v<T, bool>)
    return value ? "1" : "0";
  else if constexpr (std::is_integral_v<T>)
    return std::to_string(value);
  else {
    const auto wide = static_cast<double>(value);
    if (std::isnan(wide)) return "NaN";
    if (std::isinf(wide)) return wide < 0 ? "-INF" : "INF";
    char buffer[64];
    const int digits = std::is_same_v<T, double> ? 17 : 9;
    for (int precision = 1; precision <= digits; ++precision) {  // the shortest text that reads back the same
      std::snprintf(buffer, sizeof(buffer), "%.*g", precision, wide);
      const double back = std::strtod(buffer, nullptr);
      if (std::is_same_v<T, double> ? back == wide : static_cast<float>(back) == static_cast<float>(wide)) break;
    }
    return buffer;
  }
}

double parse(std::string_view text) {
  const std::string copy(text);
  char* end = nullptr;
  const double value = std::strtod(copy.c_str(), &end);
  if (end == copy.c_str() || *end != '\0') fail("the string \"" + copy + "\" is not a number");
  return value;
}

// ---- types of 8 bits and less that C++ lacks: one by one ----

bool is_narrow(int32_t type) { return is_mini_float(type) || is_small_integer(type) || type == f8e8m0; }

ScaleRounding rounding_of(const Node& node) {
  const std::string mode = node.get("round_mode", "up");
  if (mode == "up") return ScaleRounding::up;
  if (mode == "down") return ScaleRounding::down;
  if (mode == "nearest") return ScaleRounding::nearest;
  fail("round_mode is \"" + mode + "\", expected up, down or nearest");
}

std::vector<uint8_t> codes_of(const Tensor& x) {
  if (is_packed(x.dtype())) return unpack_elements(x);
  return std::vector<uint8_t>(x.data<uint8_t>(), x.data<uint8_t>() + x.numel());
}

double decode(dtype type, unsigned code) {
  if (is_mini_float(type)) return decode_mini_float(mini_float(type), code);
  if (type == f8e8m0) return decode_scale(code);
  return static_cast<double>(decode_small_integer(type, code));
}

// Floats lose their fraction; what does not fit, which ONNX leaves open, becomes 0 as in its examples.
unsigned encode(dtype type, double value, bool saturate, ScaleRounding rounding) {
  if (is_mini_float(type)) return encode_mini_float(mini_float(type), value, saturate);
  if (type == f8e8m0) return encode_scale(value, saturate, rounding);
  const int bits = dtype_bits(type);
  const double high = std::ldexp(1.0, bits), low = type == i4 || type == i2 ? -high / 2 : 0;
  const double whole = std::trunc(value);
  if (!(whole >= low && whole < low + high)) return 0;
  return static_cast<unsigned>(static_cast<int>(whole)) & ((1u << bits) - 1);
}

// All elements as doubles; integers, when wanted, exactly.
std::vector<double> read_all(Run& r, std::vector<uint64_t>* integers) {
  const Tensor x = r.input(0);
  std::vector<double> values(static_cast<size_t>(x.numel()));
  if (is_narrow(x.dtype())) {
    const auto codes = codes_of(x);
    double table[256];
    for (unsigned code = 0; code < 256; ++code) table[code] = decode(x.dtype(), code);
    for (size_t i = 0; i < values.size(); ++i) values[i] = table[codes[i]];
    if (is_small_integer(x.dtype()))
      for (const double value : values) integers->push_back(static_cast<uint64_t>(static_cast<int64_t>(value)));
    return values;
  }
  if (x.dtype() == str) {
    for (size_t i = 0; i < values.size(); ++i) values[i] = parse(r.string(0, static_cast<int64_t>(i)));
    return values;
  }
  with_type(x.dtype(), [&](auto zero) {
    using From = decltype(zero);
    for (size_t i = 0; i < values.size(); ++i) {
      const From value = x.data<From>()[i];
      if constexpr (std::is_same_v<From, half_t> || std::is_same_v<From, bfloat_t>)
        values[i] = static_cast<double>(static_cast<float>(value));
      else
        values[i] = static_cast<double>(value);
      if constexpr (std::is_integral_v<From>) integers->push_back(static_cast<uint64_t>(value));
    }
  });
  return values;
}

void convert_narrow(Run& r, dtype to) {
  const Tensor y = r.output(0);
  std::vector<uint64_t> integers;
  const std::vector<double> values = read_all(r, &integers);
  if (to == str) {
    for (size_t i = 0; i < values.size(); ++i)
      r.set_string(0, static_cast<int64_t>(i),
                   integers.empty() ? print(static_cast<float>(values[i])) : print(static_cast<int64_t>(values[i])));
    return;
  }
  if (!is_narrow(to)) {
    with_type(to, [&](auto zero) {
      using To = decltype(zero);
      for (size_t i = 0; i < values.size(); ++i) y.data<To>()[i] = convert<double, To>(values[i]);
    });
    return;
  }
  const bool saturate = r.get("saturate", 1);
  const ScaleRounding rounding = rounding_of(r);
  std::vector<uint8_t> codes(values.size());
  for (size_t i = 0; i < values.size(); ++i)
    codes[i] =
        static_cast<uint8_t>(is_small_integer(to) && !integers.empty() ? integers[i] & ((1u << dtype_bits(to)) - 1)
                                                                       : encode(to, values[i], saturate, rounding));
  if (is_packed(to))
    pack_elements(codes, y);
  else
    std::copy(codes.begin(), codes.end(), y.data<uint8_t>());
}

void run(Run& r) {
  const Tensor x = r.input(0);
  const auto to = static_cast<dtype>(r.get("to", int64_t(0)));
  const Tensor y = r.output(0, x.shape());
  if (x.dtype() == str && to == str) {
    for (int64_t i = 0; i < x.numel(); ++i) r.set_string(0, i, r.string(0, i));
  } else if (x.dtype() != to && (is_narrow(x.dtype()) || is_narrow(to))) {
    convert_narrow(r, to);
  } else if (x.dtype() == str) {
    with_type(to, [&](auto zero) {
      using To = decltype(zero);
      for (int64_t i = 0; i < x.numel(); ++i) {
        if constexpr (std::is_same_v<To, int64_t> || std::is_same_v<To, uint64_t>) {
          const std::string_view text = r.string(0, i);
          To value{};
          const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
          if (result.ec == std::errc() && result.ptr == text.data() + text.size()) {
            y.data<To>()[i] = value;
            continue;
          }
        }
        y.data<To>()[i] = convert<double, To>(parse(r.string(0, i)));
      }
    });
  } else if (to == str) {
    with_type(x.dtype(), [&](auto zero) {
      using From = decltype(zero);
      for (int64_t i = 0; i < x.numel(); ++i) {
        if constexpr (std::is_same_v<From, half_t> || std::is_same_v<From, bfloat_t>)
          r.set_string(0, i, print(static_cast<float>(x.data<From>()[i])));
        else
          r.set_string(0, i, print(x.data<From>()[i]));
      }
    });
  } else if (x.dtype() == to) {
    if (x.bytes()) std::memcpy(y.data(), x.data(), x.bytes());
  } else {
    with_type(x.dtype(), [&](auto from) {
      with_type(to, [&](auto target) { convert_all<decltype(from), decltype(target)>(r); });
    });
  }
}

const Dtypes castable =
    types::numeric + types::float8 + Dtypes{boolean, str, u4, i4, f4e2m1, f8e8m0, u2, i2, f6e2m3, f6e3m2};

OG_OP(Cast, "", 28) {
  op.doc("Each element converted to the type `to`.")
      .input("input", "T1")
      .output("output", "T2")
      .required_attr("to", OG_ATTR_INT)
      .attr("saturate", 1)
      .attr("round_mode", "up")
      .types("T1", castable)
      .types("T2", castable)
      .infer([](Infer& c) {
        const int64_t to = c.get("to", int64_t(0));
        if (!is_dtype(static_cast<int32_t>(to))) fail("to = " + std::to_string(to) + " is not an element type");
        const auto type = static_cast<dtype>(to);
        if (c.ranked(0))
          c.out(0, type, c.dims(0));
        else
          c.out(0, type);
        if (const auto values = c.integers(0))
          if (type == i64 || type == i32) c.out_integers(0, *values, c.ndim(0) == 0);
      })
      .kernel(cpu, &run)
      .pure()
      .version(
          1,
          [](Op& o) {
            o.input("input", "T1")
                .output("output", "T2")
                .required_attr("to", OG_ATTR_STRING)
                .types("T1", types::numeric_before_bfloat + Dtypes{boolean})
                .types("T2", types::numeric_before_bfloat + Dtypes{boolean});
          },
          [](Graph& g) {  // the type was told by its name
            static const char* const kNames[] = {"UNDEFINED", "FLOAT",  "UINT8",  "INT8",   "UINT16",
                                                 "INT16",     "INT32",  "INT64",  "STRING", "BOOL",
                                                 "FLOAT16",   "DOUBLE", "UINT32", "UINT64"};
            const std::string name = g.get("to", "");
            for (int64_t type = 1; type < 14; ++type)
              if (name == kNames[type]) {
                g.node("Cast", {"input"}, {"output"}).attr("to", type);
                return true;
              }
            fail("to = \"" + name + "\" is not an element type");
          });
  op.earlier(25,
             [](Op& o) {
               o.types("T1", types::numeric + types::float8 + Dtypes{boolean, str, u4, i4, f4e2m1, f8e8m0, u2, i2})
                   .types("T2", types::numeric + types::float8 + Dtypes{boolean, str, u4, i4, f4e2m1, f8e8m0, u2, i2});
             })
      .earlier(24,
               [](Op& o) {
                 o.types("T1", types::numeric + types::float8 + Dtypes{boolean, str, u4, i4, f4e2m1, f8e8m0})
                     .types("T2", types::numeric + types::float8 + Dtypes{boolean, str, u4, i4, f4e2m1, f8e8m0});
               })
      .earlier(23,
               [](Op& o) {
                 o.drop("round_mode")
                     .types("T1", types::numeric + types::float8 + Dtypes{boolean, str, u4, i4, f4e2m1})
                     .types("T2", types::numeric + types::float8 + Dtypes{boolean, str, u4, i4, f4e2m1});
               })
      .earlier(21,
               [](Op& o) {
                 o.types("T1", types::numeric + types::float8 + Dtypes{boolean, str, u4, i4})
                     .types("T2", types::numeric + types::float8 + Dtypes{boolean, str, u4, i4});
               })
      .earlier(19,
               [](Op& o) {
                 o.types("T1", types::numeric + types::float8 + Dtypes{boolean, str})
                     .types("T2", types::numeric + types::float8 + Dtypes{boolean, str});
               })
      .earlier(13,
               [](Op& o) {
                 o.drop("saturate")
                     .types("T1", types::numeric + Dtypes{boolean, str})
                     .types("T2", types::numeric + Dtypes{boolean, str});
               })
      .earlier(9,
               [](Op& o) {
                 o.types("T1", types::numeric_before_bfloat + Dtypes{boolean, str})
                     .types("T2", types::numeric_before_bfloat + Dtypes{boolean, str});
               })
      .earlier(6, [](Op& o) {
        o.types("T1", types::numeric_before_bfloat + Dtypes{boolean})
            .types("T2", types::numeric_before_bfloat + Dtypes{boolean});
      });
}

}  // namespace
