// SPDX-License-Identifier: Apache-2.0
#include "adasample/image/scenes/noise.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <numeric>
#include <utility>

namespace adasample {
namespace {

using Complex = std::complex<float>;
constexpr int kSize = NoiseTile::kSize;

// Multiplied by hand: std::complex looks after infinities and takes four times as long.
Complex times(Complex a, Complex b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

// Radix-2 transform down the columns of a (kSize, kSize) array: each butterfly works on two whole rows.
void transform_columns(std::vector<Complex>& data) {
  const auto row = [&](int y) { return data.data() + static_cast<size_t>(y) * kSize; };
  for (int i = 1, j = 0; i < kSize; ++i) {  // bit reversal
    int bit = kSize >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) std::swap_ranges(row(i), row(i) + kSize, row(j));
  }
  for (int length = 2; length <= kSize; length *= 2) {
    for (int k = 0; k < length / 2; ++k) {
      const double angle = 2 * std::numbers::pi * k / length;
      const Complex twiddle(static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle)));
      for (int begin = 0; begin < kSize; begin += length) {
        Complex *upper = row(begin + k), *lower = row(begin + k + length / 2);
        for (int x = 0; x < kSize; ++x) {
          const Complex a = upper[x], b = times(lower[x], twiddle);
          upper[x] = a + b;
          lower[x] = a - b;
        }
      }
    }
  }
}

void transpose(std::vector<Complex>& data) {
  for (size_t y = 0; y < kSize; ++y) {
    for (size_t x = 0; x < y; ++x) std::swap(data[y * kSize + x], data[x * kSize + y]);
  }
}

// Complex white noise shaped to 1 / f^exponent, without the mean.
std::vector<Complex> random_spectrum(RngKey key, double exponent) {
  std::vector<float> gain(2 * (kSize / 2) * (kSize / 2) + 1);  // by squared frequency
  for (size_t i = 1; i < gain.size(); ++i)
    gain[i] = static_cast<float>(std::pow(static_cast<double>(i), -0.5 * exponent));
  std::vector<Complex> spectrum(static_cast<size_t>(kSize * kSize));
  for (int y = 0; y < kSize; ++y) {
    for (int x = 0; x < kSize; ++x) {
      const int fx = std::min(x, kSize - x), fy = std::min(y, kSize - y);
      const auto index = static_cast<size_t>(y * kSize + x);
      const uint64_t bits = key.at(index).bits();
      const Complex white(static_cast<float>(bits & 0xffffffff) - 0x1p31f, static_cast<float>(bits >> 32) - 0x1p31f);
      spectrum[index] = white * gain[static_cast<size_t>(fx * fx + fy * fy)];
    }
  }
  return spectrum;
}

void normalise(std::vector<float>& values) {
  double square = 0;
  for (const float value : values) square += double{value} * value;
  const auto scale = static_cast<float>(1 / std::sqrt(square / static_cast<double>(values.size())));
  for (float& value : values) value *= scale;
}

}  // namespace

std::array<NoiseTile, 2> NoiseTile::make_pair(RngKey key, double exponent) {
  std::vector<Complex> data = random_spectrum(key, exponent);
  transform_columns(data);
  transpose(data);
  transform_columns(data);
  std::array<NoiseTile, 2> tiles;
  for (const Complex value : data) {
    tiles[0].values_.push_back(value.real());
    tiles[1].values_.push_back(value.imag());
  }
  for (NoiseTile& tile : tiles) normalise(tile.values_);
  return tiles;
}

float NoiseTile::at(float x, float y) const {
  int ix = static_cast<int>(x), iy = static_cast<int>(y);
  ix -= x < static_cast<float>(ix);  // floor
  iy -= y < static_cast<float>(iy);
  const float fx = x - static_cast<float>(ix), fy = y - static_cast<float>(iy);
  constexpr int kMask = kSize - 1;
  const float* upper = values_.data() + (iy & kMask) * kSize;
  const float* lower = values_.data() + ((iy + 1) & kMask) * kSize;
  const int left = ix & kMask, right = (ix + 1) & kMask;
  const float top = upper[left] + fx * (upper[right] - upper[left]);
  const float bottom = lower[left] + fx * (lower[right] - lower[left]);
  return top + fy * (bottom - top);
}

}  // namespace adasample
