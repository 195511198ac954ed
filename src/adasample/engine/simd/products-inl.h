// SPDX-License-Identifier: Apache-2.0
// Products of matrices, a few rows by a few vectors at a time, all sums in registers: c (rows, columns) = or += a b.
// b comes in panels of a few vectors' columns: (columns / width, depth, width), for integers in pairs of rows:
// (columns / width, depth / 2, width, 2).
#if defined(ADASAMPLE_ENGINE_SIMD_PRODUCTS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ADASAMPLE_ENGINE_SIMD_PRODUCTS_INL_H
#undef ADASAMPLE_ENGINE_SIMD_PRODUCTS_INL_H
#else
#define ADASAMPLE_ENGINE_SIMD_PRODUCTS_INL_H
#endif

#include <hwy/highway.h>

#include <cstring>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace adasample::simd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Sums that fit into the registers: 32 of them on AVX-512 and ARM, else 16. Integers need one more to multiply in
// without VNNI, and two for each sum on ARM.
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
constexpr int kRows = 8, kVectors = 2, kIntRows = 8, kIntVectors = 2;
#elif HWY_TARGET == HWY_NEON
constexpr int kRows = 6, kVectors = 4, kIntRows = 4, kIntVectors = 2;
#else
constexpr int kRows = 6, kVectors = 2, kIntRows = 4, kIntVectors = 2;
#endif

using FloatTag = hn::ScalableTag<float>;
using Int32Tag = hn::ScalableTag<int32_t>;
using Int16Tag = hn::ScalableTag<int16_t>;

// sums += the products of neighbours, added up. What `more` means is the machine's business; see whole().
#if HWY_TARGET == HWY_AVX3_DL  // asks for VNNI when it runs, but Highway 1.0 does not tell the compiler
HWY_INLINE hn::Vec<Int32Tag> add_pairs(hn::Vec<Int16Tag> a, hn::Vec<Int16Tag> b, hn::Vec<Int32Tag> sums,
                                       hn::Vec<Int32Tag>&) {
  asm("vpdpwssd %2, %1, %0" : "+v"(sums.raw) : "v"(a.raw), "v"(b.raw));
  return sums;
}
#else
HWY_INLINE hn::Vec<Int32Tag> add_pairs(hn::Vec<Int16Tag> a, hn::Vec<Int16Tag> b, hn::Vec<Int32Tag> sums,
                                       hn::Vec<Int32Tag>& more) {
  return hn::ReorderWidenMulAccumulate(Int32Tag(), a, b, sums, more);
}
#endif

// Rows of a are `stride` apart, which the compiler knows: one register points at all of them.
template <int rows, int stride, bool add>
HWY_INLINE void multiply(const float* HWY_RESTRICT a, const float* HWY_RESTRICT b, int depth, float* HWY_RESTRICT c,
                         size_t columns) {
  const FloatTag d;
  const size_t lanes = hn::Lanes(d);
  hn::Vec<FloatTag> sums[rows][kVectors];
#pragma GCC unroll 16
  for (int r = 0; r < rows; ++r) {
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      sums[r][v] =
          add ? hn::LoadU(d, c + static_cast<size_t>(r) * columns + static_cast<size_t>(v) * lanes) : hn::Zero(d);
    }
  }
  for (int k = 0; k < depth; ++k) {
    hn::Vec<FloatTag> w[kVectors];
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) w[v] = hn::Load(d, b + static_cast<size_t>(v) * lanes);
    if constexpr (add) {  // sums over many panels: the next one comes from far away
      for (size_t i = 0; i < kVectors * lanes; i += 16)
        __builtin_prefetch(b + static_cast<size_t>(depth) * kVectors * lanes + i);
    }
    b += kVectors * lanes;
#pragma GCC unroll 16
    for (int r = 0; r < rows; ++r) {
      const auto x = hn::Set(d, a[r * stride + k]);
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) sums[r][v] = hn::MulAdd(x, w[v], sums[r][v]);
    }
  }
#pragma GCC unroll 16
  for (int r = 0; r < rows; ++r) {
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      hn::StoreU(sums[r][v], d, c + static_cast<size_t>(r) * columns + static_cast<size_t>(v) * lanes);
    }
  }
}

template <int rows, int stride, bool add>
HWY_INLINE void multiply(const int16_t* HWY_RESTRICT a, const int16_t* HWY_RESTRICT b, int depth,
                         int32_t* HWY_RESTRICT c, size_t columns) {
  static_assert(!add);
  const Int32Tag d;
  const Int16Tag half;
  const size_t lanes = hn::Lanes(d);
  hn::Vec<Int32Tag> sums[rows][kIntVectors], more[rows][kIntVectors];
#pragma GCC unroll 16
  for (int r = 0; r < rows; ++r) {
#pragma GCC unroll 4
    for (int v = 0; v < kIntVectors; ++v) sums[r][v] = more[r][v] = hn::Zero(d);
  }
  for (int k = 0; k < depth; k += 2) {
    hn::Vec<Int16Tag> w[kIntVectors];
#pragma GCC unroll 4
    for (int v = 0; v < kIntVectors; ++v) w[v] = hn::Load(half, b + static_cast<size_t>(v) * 2 * lanes);
    b += kIntVectors * 2 * lanes;
#pragma GCC unroll 16
    for (int r = 0; r < rows; ++r) {
      int32_t pair;
      std::memcpy(&pair, a + r * stride + k, sizeof pair);
      const auto x = hn::BitCast(half, hn::Set(d, pair));
#pragma GCC unroll 4
      for (int v = 0; v < kIntVectors; ++v) sums[r][v] = add_pairs(x, w[v], sums[r][v], more[r][v]);
    }
  }
#pragma GCC unroll 16
  for (int r = 0; r < rows; ++r) {
#pragma GCC unroll 4
    for (int v = 0; v < kIntVectors; ++v) {
      hn::StoreU(hn::RearrangeToOddPlusEven(sums[r][v], more[r][v]), d,
                 c + static_cast<size_t>(r) * columns + static_cast<size_t>(v) * lanes);
    }
  }
}

#if HWY_TARGET == HWY_AVX3_DL

// sums += the products of four neighbours, added up. Nothing saturates, unlike in AVX2's pmaddubsw.
HWY_INLINE hn::Vec<Int32Tag> add_quads(hn::Vec<Int32Tag> bytes, hn::Vec<Int32Tag> signed_bytes,
                                       hn::Vec<Int32Tag> sums) {
  asm("vpdpbusd %2, %1, %0" : "+v"(sums.raw) : "v"(bytes.raw), "v"(signed_bytes.raw));
  return sums;
}

// sums += a b, b in fours of rows: (columns / width, depth / 4, width, 4).
template <int rows, int stride>
HWY_INLINE void add_products(const uint8_t* HWY_RESTRICT a, const int8_t* HWY_RESTRICT b, int depth,
                             hn::Vec<Int32Tag> (&sums)[rows][kIntVectors]) {
  const Int32Tag d;
  const size_t bytes = 4 * hn::Lanes(d);
  for (int k = 0; k < depth; k += 4) {
    hn::Vec<Int32Tag> w[kIntVectors];
#pragma GCC unroll 4
    for (int v = 0; v < kIntVectors; ++v, b += bytes) {
      w[v] = hn::BitCast(d, hn::Load(hn::Repartition<int8_t, Int32Tag>(), b));
    }
#pragma GCC unroll 16
    for (int r = 0; r < rows; ++r) {
      int32_t four;
      std::memcpy(&four, a + r * stride + k, sizeof four);
      const auto x = hn::Set(d, four);
#pragma GCC unroll 4
      for (int v = 0; v < kIntVectors; ++v) sums[r][v] = add_quads(x, w[v], sums[r][v]);
    }
  }
}

template <int rows>
HWY_INLINE void set_zero(hn::Vec<Int32Tag> (&sums)[rows][kIntVectors]) {
#pragma GCC unroll 16
  for (int r = 0; r < rows; ++r) {
#pragma GCC unroll 4
    for (int v = 0; v < kIntVectors; ++v) sums[r][v] = hn::Zero(Int32Tag());
  }
}

template <int rows, int stride, bool add>
HWY_INLINE void multiply(const uint8_t* HWY_RESTRICT a, const int8_t* HWY_RESTRICT b, int depth,
                         int32_t* HWY_RESTRICT c, size_t columns) {
  static_assert(!add);
  const Int32Tag d;
  hn::Vec<Int32Tag> sums[rows][kIntVectors];
  set_zero(sums);
  add_products<rows, stride>(a, b, depth, sums);
#pragma GCC unroll 16
  for (int r = 0; r < rows; ++r) {
#pragma GCC unroll 4
    for (int v = 0; v < kIntVectors; ++v) {
      hn::StoreU(sums[r][v], d, c + static_cast<size_t>(r) * columns + static_cast<size_t>(v) * hn::Lanes(d));
    }
  }
}

#endif

template <typename In>
constexpr int most_rows() {
  return std::is_same_v<In, float> ? kRows : kIntRows;
}
template <typename In>
constexpr int most_vectors() {
  return std::is_same_v<In, float> ? kVectors : kIntVectors;
}

// Any number of rows, `least` at a time or a multiple of it, in groups that registers hold: fours until `most` divides
// what is left. use(rows, first), rows a constant.
template <int most, int least, typename Use>
HWY_INLINE void in_groups(int rows, const Use& use) {
  int first = 0;
  for (; rows - first >= 4 && (rows - first) % most != 0; first += 4) use(std::integral_constant<int, 4>(), first);
  for (; rows - first >= most; first += most) use(std::integral_constant<int, most>(), first);
  for (; rows - first >= 2; first += 2) use(std::integral_constant<int, 2>(), first);
  if constexpr (least == 1) {
    for (; rows - first >= 1; first += 1) use(std::integral_constant<int, 1>(), first);
  }
}

}  // namespace adasample::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
