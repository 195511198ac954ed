// SPDX-License-Identifier: Apache-2.0
#include "adasample/image/resize.h"

#include <algorithm>
#include <cmath>

#include "adasample/base/error.h"

namespace adasample {
namespace {

constexpr int kOne = 2048;  // 1.0 in OpenCV's fixed point

// Which two input samples make an output sample, and with which weights.
struct Tap {
  size_t first, second;
  int weight_first, weight_second;
};

std::vector<Tap> taps(int from, int to) {
  std::vector<Tap> result;
  for (int k = 0; k < to; ++k) {
    auto f = static_cast<float>((k + 0.5) * from / to - 0.5);
    auto i = static_cast<int>(std::floor(f));
    f -= static_cast<float>(i);
    if (i < 0) i = 0, f = 0;
    if (i >= from - 1) i = from - 1, f = 0;
    result.push_back({static_cast<size_t>(i), static_cast<size_t>(std::min(i + 1, from - 1)),
                      static_cast<int>(std::rint((1 - f) * kOne)), static_cast<int>(std::rint(f * kOne))});
  }
  return result;
}

void halve(const uint8_t* in, size_t from, uint8_t* out) {
  for (size_t y = 0; y < from; y += 2) {
    const uint8_t *upper = in + y * from, *lower = upper + from;
    for (size_t x = 0; x < from; x += 2) {
      *out++ = static_cast<uint8_t>((upper[x] + upper[x + 1] + lower[x] + lower[x + 1] + 2) >> 2);
    }
  }
}

}  // namespace

void resize_patch(std::span<const uint8_t> in, int from, std::span<uint8_t> out, int to) {
  ADA_ASSERT(from > 0 && to > 0);
  const auto n = static_cast<size_t>(from), m = static_cast<size_t>(to);
  ADA_ASSERT(in.size() == n * n && out.size() == m * m);
  if (from == to) {
    std::copy(in.begin(), in.end(), out.begin());
    return;
  }
  if (from == 2 * to) return halve(in.data(), n, out.data());
  const std::vector<Tap> along = taps(from, to);
  std::vector<int> rows(n * m);  // every input row, resized horizontally
  for (size_t y = 0; y < n; ++y) {
    for (size_t x = 0; x < m; ++x) {
      const Tap& t = along[x];
      rows[y * m + x] = t.weight_first * in[y * n + t.first] + t.weight_second * in[y * n + t.second];
    }
  }
  for (size_t y = 0; y < m; ++y) {
    const Tap& t = along[y];
    for (size_t x = 0; x < m; ++x) {
      const int upper = (t.weight_first * (rows[t.first * m + x] >> 4)) >> 16;
      const int lower = (t.weight_second * (rows[t.second * m + x] >> 4)) >> 16;
      out[y * m + x] = static_cast<uint8_t>((upper + lower + 2) >> 2);
    }
  }
}

std::vector<uint8_t> resize_patch(std::span<const uint8_t> in, int from, int to) {
  std::vector<uint8_t> out(static_cast<size_t>(to) * static_cast<size_t>(to));
  resize_patch(in, from, out, to);
  return out;
}

}  // namespace adasample
