// SPDX-License-Identifier: Apache-2.0
// A convolution by Winograd's transforms: some rows of tiles at a time are taken to the points, multiplied there with
// the weights as one product of matrices for each point, and taken back with bias and ReLU.
#if defined(ADASAMPLE_ENGINE_SIMD_WINOGRAD_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ADASAMPLE_ENGINE_SIMD_WINOGRAD_INL_H
#undef ADASAMPLE_ENGINE_SIMD_WINOGRAD_INL_H
#else
#define ADASAMPLE_ENGINE_SIMD_WINOGRAD_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <type_traits>

#include "adasample/engine/simd/conv_shape.h"
#include "adasample/engine/simd/products-inl.h"
#include "adasample/engine/simd/transforms-inl.h"
#include "adasample/engine/simd/winograd_memory.h"

HWY_BEFORE_NAMESPACE();
namespace adasample::simd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

HWY_INLINE hn::Vec<FloatTag> load_input(FloatTag d, const float* from) { return hn::Load(d, from); }
HWY_INLINE hn::Vec<Int16Tag> load_input(Int16Tag d, const uint8_t* from) {
  return hn::PromoteTo(d, hn::Load(hn::Rebind<uint8_t, Int16Tag>(), from));
}

// One row of tiles -> values (points, tiles, channels), points `apart`.
template <class Kind, class D, typename In, typename Value = hn::TFromD<D>>
HWY_NOINLINE void to_points(D d, const ConvShape& s, const In* HWY_RESTRICT in, Value* HWY_RESTRICT values,
                            size_t apart) {
  constexpr int kPoints = Kind::kPoints;
  const int tiles = s.tiles_per_row(), columns = Kind::kStep * (tiles - 1) + kPoints, channels = s.in_channels;
  const size_t lanes = hn::Lanes(d), row = s.in_row();
  // As many vectors side by side as fill a cache line, so that whole lines are written.
  constexpr size_t kSide = std::max<size_t>(1, 64 / (hn::MaxLanes(D()) * sizeof(Value)));
  HWY_ALIGN Value strips[kSide][kMostColumns * kPoints * hn::MaxLanes(D())];
  hn::Vec<D> x[kPoints], t[kPoints];
  for (int c = 0; c < channels; c += static_cast<int>(kSide * lanes)) {
    for (int column = 0; column < columns; ++column) {
      const In* at = in + column * channels + c;
      for (size_t side = 0; side < kSide; ++side, at += lanes) {
#pragma GCC unroll 9
        for (int i = 0; i < kPoints; ++i) x[i] = load_input(d, at + static_cast<size_t>(i) * row);
        Kind::input(d, x, t);
        Value* to = strips[side] + static_cast<size_t>(column) * kPoints * lanes;
#pragma GCC unroll 9
        for (int i = 0; i < kPoints; ++i) hn::Store(t[i], d, to + static_cast<size_t>(i) * lanes);
      }
    }
    for (int tile = 0; tile < tiles; ++tile) {
      for (int i = 0; i < kPoints; ++i) {
        Value* to = values + static_cast<size_t>(i * kPoints) * apart + tile * channels + c;
        for (size_t side = 0; side < kSide; ++side, to += lanes) {
          const Value* from = strips[side] + static_cast<size_t>(tile * Kind::kStep * kPoints + i) * lanes;
#pragma GCC unroll 9
          for (int j = 0; j < kPoints; ++j) x[j] = hn::Load(d, from + static_cast<size_t>(j * kPoints) * lanes);
          Kind::input(d, x, t);
#pragma GCC unroll 9
          for (int j = 0; j < kPoints; ++j) hn::Store(t[j], d, to + static_cast<size_t>(j) * apart);
        }
      }
    }
  }
}

HWY_INLINE hn::Vec<FloatTag> load_sum(FloatTag d, const float* sums, const float*) { return hn::Load(d, sums); }
HWY_INLINE hn::Vec<FloatTag> load_sum(FloatTag d, const int32_t* sums, const float* scale) {
  return hn::Mul(hn::ConvertTo(d, hn::Load(Int32Tag(), sums)), hn::Load(d, scale));
}

HWY_INLINE void put(FloatTag d, hn::Vec<FloatTag> v, float* to) { hn::Store(v, d, to); }
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL  // both conversions take what is too large to the largest
HWY_INLINE void put(FloatTag, hn::Vec<FloatTag> v, uint8_t* to) {
  _mm_store_si128(reinterpret_cast<__m128i*>(to), _mm512_cvtusepi32_epi8(_mm512_cvtps_epu32(v.raw)));
}
#else
// No number is below zero. 2^23 leaves no room for a fraction: what is left, rounded, is in the lowest byte.
HWY_INLINE void put(FloatTag d, hn::Vec<FloatTag> v, uint8_t* to) {
  const hn::RebindToUnsigned<FloatTag> whole;
  const auto rounded = hn::BitCast(whole, hn::Add(hn::Min(v, hn::Set(d, 255.f)), hn::Set(d, 8388608.f)));
  hn::Store(hn::U8FromU32(hn::And(rounded, hn::Set(whole, 255))), hn::Rebind<uint8_t, FloatTag>(), to);
}
#endif

// Sums (points, columns) of one tile, points `apart` -> 4x4 results of as many channels as a panel has columns.
// Channels of pixels lie `channels` apart. The bias is added once, at the point (1, 1), which adds to all results
// alike.
template <class Kind, int vectors, size_t apart, typename Sum, typename Out>
HWY_NOINLINE void from_points(const Sum* HWY_RESTRICT sums, const float* scale, const float* bias,
                              Out* HWY_RESTRICT out, size_t channels, size_t out_row) {
  constexpr int kPoints = Kind::kPoints;
  const FloatTag d;
  const size_t lanes = hn::Lanes(d);
  for (size_t c = 0; c < vectors * lanes; c += lanes) {
    hn::Vec<FloatTag> half[kTile][kPoints], m[kPoints], y[kTile];
#pragma GCC unroll 9
    for (int j = 0; j < kPoints; ++j) {
#pragma GCC unroll 9
      for (int i = 0; i < kPoints; ++i) {
        const auto point = static_cast<size_t>(i * kPoints + j);
        m[i] = load_sum(d, sums + point * apart + c, scale + point * channels + c);
      }
      if (j == Kind::kOne) m[j] = hn::Add(m[j], hn::LoadU(d, bias + c));
      Kind::output(d, m, y);
#pragma GCC unroll 4
      for (int i = 0; i < kTile; ++i) half[i][j] = y[i];
    }
#pragma GCC unroll 4
    for (int i = 0; i < kTile; ++i) {
      Kind::output(d, half[i], y);
      Out* to = out + static_cast<size_t>(i) * out_row + c;
#pragma GCC unroll 4
      for (int j = 0; j < kTile; ++j) {
        put(d, hn::Max(y[j], hn::Zero(d)), to + static_cast<size_t>(j) * channels);
      }
    }
  }
}

// Where the results of a layer lie.
template <typename Out>
struct Results {
  Out* out;
  int border;
  size_t apart;  // from patch to patch
};

template <class Kind, int in_channels, typename Conv, typename Out, typename Value>
struct Layer {
  using Sum = std::conditional_t<std::is_same_v<Value, float>, float, int32_t>;
  static constexpr int kPoints = Kind::kPoints * Kind::kPoints;
  static constexpr int kMostRows = most_rows<Value>(), kWidthVectors = most_vectors<Value>();

  const Conv& conv;
  const float* scale;
  const Results<Out>& results;
  Value* values;
  size_t values_apart;
  int begin;  // the first row of tiles at the points

  // `rows` tiles from `tile` on, the columns of one panel: all products, and back while they are in the nearest cache.
  template <int rows>
  HWY_INLINE void finish(int tile, size_t column, const Value* weight) const {
    const ConvShape& s = conv.shape;
    constexpr size_t kWidth = kWidthVectors * hn::MaxLanes(FloatTag()), kApart = rows * kWidth + 16;
    HWY_ALIGN Sum sums[kPoints * kApart];
    for (int p = 0; p < kPoints; ++p) {
      multiply<rows, in_channels, false>(values + static_cast<size_t>(p) * values_apart + tile * in_channels, weight,
                                         in_channels, sums + static_cast<size_t>(p) * kApart, kWidth);
      weight += in_channels * kWidth;
    }
    const int tiles = s.tiles_per_row();
    const auto channels = static_cast<size_t>(s.out_channels);
    const size_t out_row = static_cast<size_t>(s.out_width + 2 * results.border) * channels;
    for (int r = 0; r < rows; ++r) {
      const int all = begin + (tile + r) / tiles, patch = all / tiles, y = all % tiles, x = (tile + r) % tiles;
      Out* to = results.out + static_cast<size_t>(patch) * results.apart +
                static_cast<size_t>(y * kTile + results.border) * out_row +
                static_cast<size_t>(x * kTile + results.border) * channels + column;
      from_points<Kind, kWidthVectors, kApart>(sums + static_cast<size_t>(r) * kWidth, scale + column,
                                               conv.bias + column, to, channels, out_row);
    }
  }

  HWY_INLINE void finish_all(int tiles) const {
    const size_t width = kWidthVectors * hn::Lanes(FloatTag());
    const Value* weight = conv.weight;
    for (size_t column = 0; column < static_cast<size_t>(conv.shape.out_channels); column += width) {
      in_groups<kMostRows, 2>(tiles, [&](auto rows, int tile) HWY_ATTR { finish<rows()>(tile, column, weight); });
      weight += static_cast<size_t>(kPoints * in_channels) * width;
    }
  }
};

template <class Kind, int in_channels, class D, typename Conv, typename In, typename Out>
HWY_INLINE void convolve_as(D d, const Conv& conv, const float* scale, const In* in, int patches,
                            const Results<Out>& results, hn::TFromD<D>* values) {
  const ConvShape& s = conv.shape;
  const int tiles = s.tiles_per_row(), rows = patches * tiles, chunk = rows_at_once(s);
  const size_t apart = points_apart(s);
  for (int begin = 0; begin < rows; begin += chunk) {
    const int count = std::min(chunk, rows - begin);
    for (int i = 0; i < count; ++i) {
      const int patch = (begin + i) / tiles, row = (begin + i) % tiles;
      to_points<Kind>(
          d, s, in + static_cast<size_t>(patch) * s.in_patch() + static_cast<size_t>(row * Kind::kStep) * s.in_row(),
          values + i * tiles * s.in_channels, apart);
    }
    Layer<Kind, in_channels, Conv, Out, hn::TFromD<D>>{conv, scale, results, values, apart, begin}.finish_all(count *
                                                                                                              tiles);
  }
}

// in: with a border. The shapes are those of the network.
template <class D, typename Conv, typename In, typename Out>
HWY_INLINE void convolve(D d, const Conv& conv, const float* scale, const In* in, int patches,
                         const Results<Out>& results, hn::TFromD<D>* values) {
  const ConvShape& s = conv.shape;
  if (s.stride == 1 && s.in_channels == 32) {
    convolve_as<Stride1, 32>(d, conv, scale, in, patches, results, values);
  } else if (s.stride == 1 && s.in_channels == 64) {
    convolve_as<Stride1, 64>(d, conv, scale, in, patches, results, values);
  } else if (s.stride == 1) {
    convolve_as<Stride1, 128>(d, conv, scale, in, patches, results, values);
  } else if (s.in_channels == 32) {
    convolve_as<Stride2, 32>(d, conv, scale, in, patches, results, values);
  } else {
    convolve_as<Stride2, 64>(d, conv, scale, in, patches, results, values);
  }
}

}  // namespace adasample::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
