// SPDX-License-Identifier: Apache-2.0
#include "adasample/features/match/byte_tiles.h"

#include <cstring>

// Highway compiles this file once for each instruction set; those without a product of bytes are left out.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#define HWY_WANT_AVX3_DL  // AVX-512 with VNNI
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "adasample/features/match/simd/byte_tiles.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace adasample::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_AVX3_DL
[[maybe_unused]] constexpr const char* kName = "avx512_vnni";
#elif HWY_TARGET == HWY_AVX3
[[maybe_unused]] constexpr const char* kName = "avx512";
#elif HWY_TARGET == HWY_AVX2
[[maybe_unused]] constexpr const char* kName = "avx2";
#elif HWY_TARGET == HWY_SSE4
[[maybe_unused]] constexpr const char* kName = "sse4";
#elif HWY_TARGET == HWY_NEON
[[maybe_unused]] constexpr const char* kName = "neon";
#else
[[maybe_unused]] constexpr const char* kName = nullptr;
#endif

#if HWY_TARGET == HWY_AVX3_DL || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_SSE4 || \
    HWY_TARGET == HWY_NEON

using Sums = hn::ScalableTag<int32_t>;
using FloatTag = hn::ScalableTag<float>;
constexpr size_t kVectors = 2;  // of a panel
#if HWY_TARGET == HWY_AVX3_DL || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_NEON
constexpr size_t kQueries = 8;  // with two vectors each as many sums as registers hold
#else
constexpr size_t kQueries = 4;
#endif

// sums + the products of four neighbours, added up.
#if HWY_TARGET == HWY_AVX3_DL  // Highway 1.0 asks for VNNI when it runs, but does not tell the compiler
constexpr bool kHalves = false, kSigned = false;
constexpr int kShift = 128;
constexpr double kMostProduct = 1e8;
HWY_INLINE hn::Vec<Sums> add_products(hn::Vec<Sums> sums, hn::Vec<Sums> queries, hn::Vec<Sums> rows) {
  asm("vpdpbusd %2, %1, %0" : "+v"(sums.raw) : "v"(queries.raw), "v"(rows.raw));
  return sums;
}
HWY_INLINE hn::Vec<Sums> whole(hn::Vec<Sums> sums) { return sums; }
#elif HWY_TARGET == HWY_NEON  // signed times signed: the shift is taken back, and two products fit into 16 bits
constexpr bool kHalves = false, kSigned = true;
constexpr int kShift = 128;
constexpr double kMostProduct = 1e8;
HWY_INLINE hn::Vec<Sums> add_products(hn::Vec<Sums> sums, hn::Vec<Sums> queries, hn::Vec<Sums> rows) {
  const int8x16_t x = vreinterpretq_s8_u8(veorq_u8(vreinterpretq_u8_s32(queries.raw), vdupq_n_u8(128)));
  const int8x16_t w = vreinterpretq_s8_s32(rows.raw);
  const int16x8_t pairs = vpaddq_s16(vmull_s8(vget_low_s8(x), vget_low_s8(w)), vmull_high_s8(x, w));
  return hn::Vec<Sums>{vpadalq_s16(sums.raw, pairs)};
}
HWY_INLINE hn::Vec<Sums> whole(hn::Vec<Sums> sums) { return sums; }
#else
constexpr bool kHalves = true, kSigned = false;
constexpr int kShift = 64;
constexpr double kMostProduct = 32700;
HWY_INLINE hn::Vec<Sums> add_products(hn::Vec<Sums> sums, hn::Vec<Sums> queries, hn::Vec<Sums> rows) {
#if HWY_TARGET == HWY_AVX3
  return hn::Vec<Sums>{_mm512_add_epi16(sums.raw, _mm512_maddubs_epi16(queries.raw, rows.raw))};
#elif HWY_TARGET == HWY_AVX2
  return hn::Vec<Sums>{_mm256_add_epi16(sums.raw, _mm256_maddubs_epi16(queries.raw, rows.raw))};
#else
  return hn::Vec<Sums>{_mm_add_epi16(sums.raw, _mm_maddubs_epi16(queries.raw, rows.raw))};
#endif
}
// The two halves of a sum, added up.
HWY_INLINE hn::Vec<Sums> whole(hn::Vec<Sums> sums) {
#if HWY_TARGET == HWY_AVX3
  return hn::Vec<Sums>{_mm512_madd_epi16(sums.raw, _mm512_set1_epi16(1))};
#elif HWY_TARGET == HWY_AVX2
  return hn::Vec<Sums>{_mm256_madd_epi16(sums.raw, _mm256_set1_epi16(1))};
#else
  return hn::Vec<Sums>{_mm_madd_epi16(sums.raw, _mm_set1_epi16(1))};
#endif
}
#endif

bool Multiply(const uint8_t* HWY_RESTRICT queries, const int8_t* HWY_RESTRICT rows, const int32_t* HWY_RESTRICT start,
              size_t quads, const int32_t* HWY_RESTRICT query_limits, const int32_t* HWY_RESTRICT row_limits,
              int32_t* HWY_RESTRICT products, uint32_t* HWY_RESTRICT hits) {
  const Sums d;
  constexpr size_t kLanes = hn::MaxLanes(Sums()), kPanel = kVectors * kLanes;
  hn::Vec<Sums> sums[kQueries][kVectors];
#pragma GCC unroll 8
  for (size_t q = 0; q < kQueries; ++q) {
#pragma GCC unroll 2
    for (size_t v = 0; v < kVectors; ++v) sums[q][v] = kSigned ? hn::Zero(d) : hn::LoadU(d, start + v * kLanes);
  }
  for (size_t k = 0; k < quads; ++k) {
    hn::Vec<Sums> w[kVectors];
#pragma GCC unroll 2
    for (size_t v = 0; v < kVectors; ++v) {
      w[v] = hn::LoadU(d, reinterpret_cast<const int32_t*>(rows + 4 * (k * kPanel + v * kLanes)));
    }
#pragma GCC unroll 8
    for (size_t q = 0; q < kQueries; ++q) {
      int32_t four;
      std::memcpy(&four, queries + 4 * (q * quads + k), sizeof four);
      const auto x = hn::Set(d, four);
#pragma GCC unroll 2
      for (size_t v = 0; v < kVectors; ++v) sums[q][v] = add_products(sums[q][v], x, w[v]);
    }
  }
  uint32_t any = 0;
#pragma GCC unroll 8
  for (size_t q = 0; q < kQueries; ++q) {
    uint32_t bits = 0;
    const auto limit = hn::Set(d, query_limits[q]);
#pragma GCC unroll 2
    for (size_t v = 0; v < kVectors; ++v) {
      const auto product = whole(sums[q][v]);
      hn::StoreU(product, d, products + q * kPanel + v * kLanes);
      const auto over = hn::Gt(product, hn::Min(limit, hn::LoadU(d, row_limits + v * kLanes)));
      uint8_t found[8] = {};
      hn::StoreMaskBits(d, over, found);
      uint32_t word;
      std::memcpy(&word, found, sizeof word);
      bits |= word << (v * kLanes);
    }
    hits[q] = bits;
    any |= bits;
  }
  return any != 0;
}

float Dot(const float* HWY_RESTRICT a, const float* HWY_RESTRICT b, size_t count) {
  const FloatTag d;
  constexpr size_t kLanes = hn::MaxLanes(FloatTag());
  auto one = hn::Zero(d), other = hn::Zero(d);
  size_t i = 0;
  for (; i + 2 * kLanes <= count; i += 2 * kLanes) {
    one = hn::MulAdd(hn::LoadU(d, a + i), hn::LoadU(d, b + i), one);
    other = hn::MulAdd(hn::LoadU(d, a + i + kLanes), hn::LoadU(d, b + i + kLanes), other);
  }
  float sum = hn::GetLane(hn::SumOfLanes(d, hn::Add(one, other)));
  for (; i < count; ++i) sum += a[i] * b[i];
  return sum;
}

const ByteTiles* TilesHere() {
  static const ByteTiles tiles = {kName,    kQueries, kVectors * hn::MaxLanes(Sums()), kHalves, kShift, kMostProduct,
                                  Multiply, Dot};
  return &tiles;
}

#else

const ByteTiles* TilesHere() { return nullptr; }

#endif

}  // namespace adasample::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace adasample {
HWY_EXPORT(TilesHere);

std::vector<const ByteTiles*> all_byte_tiles() {
  std::vector<const ByteTiles*> all;
  for (int64_t left = hwy::SupportedTargets() & HWY_TARGETS; left != 0;
       left &= left - 1) {  // a lower bit is a better one
    hwy::ChosenTarget one;
    one.Update(left & -left);
    if (const ByteTiles* tiles = HWY_DISPATCH_TABLE(TilesHere)[one.GetIndex()]()) all.push_back(tiles);
  }
  return all;
}

}  // namespace adasample
#endif
