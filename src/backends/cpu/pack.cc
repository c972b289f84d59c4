// Copies that bring matrices and image bands into the order in which the register tiles read them.
#include "backends/cpu/kernels.h"
#include "backends/cpu/target.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/pack.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace opgraft::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using F = hn::ScalableTag<float>;
using V = hn::Vec<F>;

HWY_ATTR void panel_from_rows(const float* src, int64_t row, int64_t depth, int64_t width, float* dst, int panel) {
  const F d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  if (width == panel && panel == 2 * lanes) {
    for (int64_t k = 0; k < depth; ++k, src += row, dst += panel) {
      const V first = hn::LoadU(d, src);
      const V second = hn::LoadU(d, src + lanes);
      hn::StoreU(first, d, dst);
      hn::StoreU(second, d, dst + lanes);
    }
    return;
  }
  for (int64_t k = 0; k < depth; ++k, src += row, dst += panel) {
    int64_t j = 0;
    for (; j < width; ++j) dst[j] = src[j];
    for (; j < panel; ++j) dst[j] = 0.0f;
  }
}

HWY_ATTR void panel_from_columns(const float* src, int64_t row, int64_t depth, int64_t width, float* dst, int panel) {
  int64_t j = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::FixedTag<float, 4> d;
  // 4 x 4 transposes.
  for (; j + 4 <= width; j += 4) {
    const float* p = src + j * row;
    int64_t k = 0;
    for (; k + 4 <= depth; k += 4) {
      const auto a = hn::LoadU(d, p + k);
      const auto b = hn::LoadU(d, p + row + k);
      const auto c = hn::LoadU(d, p + 2 * row + k);
      const auto e = hn::LoadU(d, p + 3 * row + k);
      const auto ab_low = hn::InterleaveLower(d, a, b);
      const auto ab_high = hn::InterleaveUpper(d, a, b);
      const auto ce_low = hn::InterleaveLower(d, c, e);
      const auto ce_high = hn::InterleaveUpper(d, c, e);
      float* q = dst + k * panel + j;
      hn::StoreU(hn::ConcatLowerLower(d, ce_low, ab_low), d, q);
      hn::StoreU(hn::ConcatUpperUpper(d, ce_low, ab_low), d, q + panel);
      hn::StoreU(hn::ConcatLowerLower(d, ce_high, ab_high), d, q + 2 * panel);
      hn::StoreU(hn::ConcatUpperUpper(d, ce_high, ab_high), d, q + 3 * panel);
    }
    for (; k < depth; ++k)
      for (int i = 0; i < 4; ++i) dst[k * panel + j + i] = p[i * row + k];
  }
#endif
  for (; j < width; ++j)
    for (int64_t k = 0; k < depth; ++k) dst[k * panel + j] = src[j * row + k];
  for (; j < panel; ++j)
    for (int64_t k = 0; k < depth; ++k) dst[k * panel + j] = 0.0f;
}

HWY_ATTR void panel_from_segments(const float* src, const int32_t* offsets, int64_t depth, const Segment* segments,
                                  int count, float* dst, int panel) {
  const F d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  // A segment is copied in whole vectors; what is too much is overwritten by the next segment or row.
  if (count == 1 && segments[0].length > lanes) {
    const float* p = src + segments[0].source;
    float* q = dst + segments[0].target;
    for (int64_t k = 0; k < depth; ++k, q += panel) {
      const float* s = p + offsets[k];
      const V first = hn::LoadU(d, s);
      const V second = hn::LoadU(d, s + lanes);
      hn::StoreU(first, d, q);
      hn::StoreU(second, d, q + lanes);
    }
    return;
  }
  if (count == 2) {
    const float* p0 = src + segments[0].source;
    const float* p1 = src + segments[1].source;
    const int64_t second_target = segments[1].target;
    const bool long0 = segments[0].length > lanes;
    const bool long1 = segments[1].length > lanes;
    for (int64_t k = 0; k < depth; ++k, dst += panel) {
      const float* s0 = p0 + offsets[k];
      const float* s1 = p1 + offsets[k];
      hn::StoreU(hn::LoadU(d, s0), d, dst);
      if (long0) hn::StoreU(hn::LoadU(d, s0 + lanes), d, dst + lanes);
      hn::StoreU(hn::LoadU(d, s1), d, dst + second_target);
      if (long1) hn::StoreU(hn::LoadU(d, s1 + lanes), d, dst + second_target + lanes);
    }
    return;
  }
  for (int64_t k = 0; k < depth; ++k, dst += panel) {
    const float* s = src + offsets[k];
    for (int i = 0; i < count; ++i) {
      const Segment segment = segments[i];
      hn::StoreU(hn::LoadU(d, s + segment.source), d, dst + segment.target);
      if (segment.length > lanes) hn::StoreU(hn::LoadU(d, s + segment.source + lanes), d, dst + segment.target + lanes);
    }
  }
}

// Rows of at least one vector of D; the last vector overlaps the one before it.
template <class D>
HWY_INLINE bool copy_rows(const float* src, int64_t src_row, int64_t rows, int64_t count, float* dst, int64_t dst_row) {
  const D d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  if (count < lanes) return false;
  for (int64_t r = 0; r < rows; ++r, src += src_row, dst += dst_row) {
    for (int64_t i = 0; i + lanes < count; i += lanes) hn::StoreU(hn::LoadU(d, src + i), d, dst + i);
    hn::StoreU(hn::LoadU(d, src + count - lanes), d, dst + count - lanes);
  }
  return true;
}

#if HWY_TARGET != HWY_SCALAR
// Every second float, of more than one vector of D.
template <class D>
HWY_INLINE bool halve_rows(const float* src, int64_t src_row, int64_t rows, int64_t count, float* dst,
                           int64_t dst_row) {
  const D d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  if (count <= lanes) return false;
  for (int64_t r = 0; r < rows; ++r, src += src_row, dst += dst_row) {
    for (int64_t i = 0; i + lanes < count; i += lanes)
      hn::StoreU(hn::ConcatEven(d, hn::LoadU(d, src + 2 * i + lanes), hn::LoadU(d, src + 2 * i)), d, dst + i);
    // Loads that end at the last float wanted, because nothing behind it may be touched.
    const float* last = src + 2 * (count - lanes) - 1;
    hn::StoreU(hn::ConcatOdd(d, hn::LoadU(d, last + lanes), hn::LoadU(d, last)), d, dst + count - lanes);
  }
  return true;
}
#endif

HWY_ATTR void gather_rows(const float* src, int64_t src_row, int64_t step, int64_t rows, int64_t count, float* dst,
                          int64_t dst_row) {
  if (step == 1) {
    if (copy_rows<F>(src, src_row, rows, count, dst, dst_row)) return;
#if HWY_TARGET != HWY_SCALAR
    if (copy_rows<hn::FixedTag<float, 4>>(src, src_row, rows, count, dst, dst_row)) return;
  } else if (step == 2) {
    if (halve_rows<F>(src, src_row, rows, count, dst, dst_row)) return;
    if (halve_rows<hn::FixedTag<float, 4>>(src, src_row, rows, count, dst, dst_row)) return;
#endif
  }
  for (int64_t r = 0; r < rows; ++r, src += src_row, dst += dst_row)
    for (int64_t i = 0; i < count; ++i) dst[i] = src[i * step];
}

HWY_ATTR void add(const float* src, int64_t count, float* dst) {
  const F d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) hn::StoreU(hn::Add(hn::LoadU(d, dst + i), hn::LoadU(d, src + i)), d, dst + i);
  for (; i < count; ++i) dst[i] += src[i];
}

const PackKernels& get_pack_table() {
  static constexpr PackKernels kTable = {&panel_from_rows, &panel_from_columns, &panel_from_segments, &gather_rows,
                                         &add};
  return kTable;
}

}  // namespace HWY_NAMESPACE
}  // namespace opgraft::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace opgraft::cpu {
const PackKernels& pack_kernels(int level) { OG_CPU_PICK(get_pack_table, level); }
}  // namespace opgraft::cpu
#endif
