// Element types of tensors: names, sizes, C++ types, and the two half floats.
#ifndef OPGRAFT_DTYPE_H_
#define OPGRAFT_DTYPE_H_

#include <complex>
#include <cstdint>
#include <cstring>

#include "opgraft/abi.h"

// State and code of the SDK belong to the library that includes it: never shared between plug-ins and the engine.
#define OG_HIDDEN __attribute__((visibility("hidden")))

namespace opgraft OG_HIDDEN {

// Numbers of ONNX's TensorProto.DataType.
enum dtype : int32_t {
  any = OG_ANY,
  f32 = OG_F32,
  u8 = OG_U8,
  i8 = OG_I8,
  u16 = OG_U16,
  i16 = OG_I16,
  i32 = OG_I32,
  i64 = OG_I64,
  str = OG_STRING,
  boolean = OG_BOOL,
  f16 = OG_F16,
  f64 = OG_F64,
  u32 = OG_U32,
  u64 = OG_U64,
  c64 = OG_C64,
  c128 = OG_C128,
  bf16 = OG_BF16,
  f8e4m3fn = OG_F8E4M3FN,
  f8e4m3fnuz = OG_F8E4M3FNUZ,
  f8e5m2 = OG_F8E5M2,
  f8e5m2fnuz = OG_F8E5M2FNUZ,
  u4 = OG_U4,
  i4 = OG_I4,
  f4e2m1 = OG_F4E2M1,
  f8e8m0 = OG_F8E8M0,
  u2 = OG_U2,
  i2 = OG_I2,
  f6e2m3 = OG_F6E2M3,
  f6e3m2 = OG_F6E3M2
};

struct DtypeInfo {
  const char* name;  // as in ONNX's type strings: "float", "int64"
  uint8_t bits;      // 0 = no fixed size
  uint8_t dl_code;   // DLPack 1.x
};

inline constexpr int kDtypeCount = 29;
inline constexpr DtypeInfo kDtypes[kDtypeCount] = {
    {"undefined", 0, 0},
    {"float", 32, 2},
    {"uint8", 8, 1},
    {"int8", 8, 0},
    {"uint16", 16, 1},
    {"int16", 16, 0},
    {"int32", 32, 0},
    {"int64", 64, 0},
    {"string", 0, 0},
    {"bool", 8, 6},
    {"float16", 16, 2},
    {"double", 64, 2},
    {"uint32", 32, 1},
    {"uint64", 64, 1},
    {"complex64", 64, 5},
    {"complex128", 128, 5},
    {"bfloat16", 16, 4},
    {"float8e4m3fn", 8, 10},
    {"float8e4m3fnuz", 8, 11},
    {"float8e5m2", 8, 12},
    {"float8e5m2fnuz", 8, 13},
    {"uint4", 4, 1},
    {"int4", 4, 0},
    {"float4e2m1", 4, 17},
    {"float8e8m0", 8, 14},
    {"uint2", 2, 1},
    {"int2", 2, 0},
    {"float6e2m3", 6, 15},
    {"float6e3m2", 6, 16},
};

constexpr bool is_dtype(int32_t type) { return type > 0 && type < kDtypeCount; }
constexpr const char* dtype_name(int32_t type) {
  return type >= 0 && type < kDtypeCount ? kDtypes[type].name : "invalid";
}
constexpr int dtype_bits(int32_t type) { return type >= 0 && type < kDtypeCount ? kDtypes[type].bits : 0; }
// Bytes of `count` elements; sub-byte types are packed.
// Bytes of `count` elements, packed when they are smaller than a byte; 2^62 when it would be more than that.
constexpr uint64_t dtype_bytes(int32_t type, uint64_t count) {
  return count >> 58 ? uint64_t(1) << 62 : (count * static_cast<uint64_t>(dtype_bits(type)) + 7) / 8;
}
constexpr bool is_float(int32_t type) { return type == f32 || type == f16 || type == f64 || type == bf16; }

// IEEE binary16 <-> float, round to nearest even; NaN stays NaN.
inline float half_to_float(uint16_t bits) {
  const uint32_t sign = uint32_t(bits & 0x8000u) << 16;
  const uint32_t exponent = (bits >> 10) & 31u;
  uint32_t mantissa = bits & 0x3ffu;
  uint32_t out;
  if (exponent == 31) {
    out = sign | 0x7f800000u | (mantissa << 13);
  } else if (exponent != 0) {
    out = sign | ((exponent + 112) << 23) | (mantissa << 13);
  } else {
    float value = float(mantissa) * 5.9604644775390625e-8f;  // 2^-24
    std::memcpy(&out, &value, 4);
    out |= sign;
  }
  float result;
  std::memcpy(&result, &out, 4);
  return result;
}

inline uint16_t float_to_half(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  const uint16_t sign = uint16_t((bits >> 16) & 0x8000u);
  bits &= 0x7fffffffu;
  if (bits > 0x7f800000u) return uint16_t(sign | 0x7e00u);
  if (bits >= 0x47800000u) return uint16_t(sign | 0x7c00u);
  if (bits < 0x38800000u) {  // subnormal: adding 0.5 aligns the mantissa and rounds it
    float magnitude, aligned;
    std::memcpy(&magnitude, &bits, 4);
    aligned = magnitude + 0.5f;
    uint32_t out;
    std::memcpy(&out, &aligned, 4);
    return uint16_t(sign | (out - 0x3f000000u));
  }
  return uint16_t(sign | ((bits - 0x38000000u + 0xfffu + ((bits >> 13) & 1u)) >> 13));
}

inline float bfloat_to_float(uint16_t bits) {
  const uint32_t wide = uint32_t(bits) << 16;
  float result;
  std::memcpy(&result, &wide, 4);
  return result;
}

inline uint16_t float_to_bfloat(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return uint16_t((bits >> 16) | 0x40u);
  return uint16_t((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

struct half_t {
  uint16_t bits = 0;
  half_t() = default;
  explicit half_t(float value) : bits(float_to_half(value)) {}
  operator float() const { return half_to_float(bits); }
};

struct bfloat_t {
  uint16_t bits = 0;
  bfloat_t() = default;
  explicit bfloat_t(float value) : bits(float_to_bfloat(value)) {}
  operator float() const { return bfloat_to_float(bits); }
};

template <class T>
struct DtypeOf;
#define OG_DTYPE_OF(type, code)          \
  template <>                            \
  struct DtypeOf<type> {                 \
    static constexpr dtype value = code; \
  };
OG_DTYPE_OF(float, f32)
OG_DTYPE_OF(uint8_t, u8)
OG_DTYPE_OF(int8_t, i8)
OG_DTYPE_OF(uint16_t, u16)
OG_DTYPE_OF(int16_t, i16)
OG_DTYPE_OF(int32_t, i32)
OG_DTYPE_OF(int64_t, i64)
OG_DTYPE_OF(bool, boolean)
OG_DTYPE_OF(half_t, f16)
OG_DTYPE_OF(double, f64)
OG_DTYPE_OF(uint32_t, u32)
OG_DTYPE_OF(uint64_t, u64)
OG_DTYPE_OF(std::complex<float>, c64)
OG_DTYPE_OF(std::complex<double>, c128)
OG_DTYPE_OF(bfloat_t, bf16)
#undef OG_DTYPE_OF
template <class T>
inline constexpr dtype dtype_of = DtypeOf<T>::value;

}  // namespace OG_HIDDEN
#endif  // OPGRAFT_DTYPE_H_
