// SPDX-License-Identifier: Apache-2.0
// Every instruction set of this machine against plain loops: sums in double for floats, exact sums for integers.
#include "adasample/engine/simd/kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "adasample/base/random/rng.h"
#include "adasample/engine/simd/normal_numbers.h"
#include "adasample/engine/simd/numbers.h"
#include "adasample/engine/simd/pack.h"
#include "adasample/engine/simd/winograd_memory.h"

namespace adasample::simd {
namespace {

constexpr ConvShape kShapes[] = {{32, 32, 1, 32}, {32, 64, 2, 16}, {64, 64, 1, 16}, {64, 128, 2, 8}, {128, 128, 1, 8}};

// Calls put(index) for every number inside the borders.
template <typename Put>
void inside(const ConvShape& s, int patches, const Put& put) {
  const int width = s.in_width() + 2 * kBorder;
  for (int p = 0; p < patches; ++p) {
    for (int y = 1; y + 1 < width; ++y) {
      for (int x = 1; x + 1 < width; ++x) {
        for (int c = 0; c < s.in_channels; ++c) {
          put(static_cast<size_t>(p) * s.in_patch() + static_cast<size_t>((y * width + x) * s.in_channels + c));
        }
      }
    }
  }
}

// One result, before ReLU: sum of weight times input, in double.
template <typename In>
double plain(const ConvShape& s, const In* in, const std::vector<float>& weight, int patch, int y, int x, int o) {
  const int width = s.in_width() + 2 * kBorder;
  double sum = 0;
  for (int c = 0; c < s.in_channels; ++c) {
    for (int tap = 0; tap < 9; ++tap) {
      const int at = ((y * s.stride + tap / 3) * width + x * s.stride + tap % 3) * s.in_channels + c;
      sum += double{weight[static_cast<size_t>((o * s.in_channels + c) * 9 + tap)]} *
             static_cast<double>(in[static_cast<size_t>(patch) * s.in_patch() + static_cast<size_t>(at)]);
    }
  }
  return sum;
}

std::vector<float> some_weights(const ConvShape& s, uint64_t seed) {
  return normal(static_cast<size_t>(9 * s.in_channels * s.out_channels),
                std::sqrt(2.f / static_cast<float>(9 * s.in_channels)), seed);
}

// Calls look(patch, y, x, channel) for a part of the results: corners, edges, the middle, any channel.
template <typename Look>
void look_around(const ConvShape& s, int patches, const Look& look) {
  const int end = s.out_width - 1;
  for (int p = 0; p < patches; ++p) {
    for (const int y : {0, 3, end / 2, end}) {
      for (const int x : {0, 4, end / 2, end}) {
        for (int o = (y + x + p) % 3; o < s.out_channels; o += 3) look(p, y, x, o);
      }
    }
  }
}

TEST(SimdKernels, ThisMachineHasSome) {
  const std::vector<const Kernels*> all = all_kernels();
  ASSERT_FALSE(all.empty());
  EXPECT_NE(best_kernels(), nullptr);
#ifdef __x86_64__
  EXPECT_STREQ(all.back()->name, "sse4");
#endif
}

TEST(SimdKernels, ConvolutionsOfFloats) {
  for (const Kernels* k : all_kernels()) {
    for (const ConvShape& s : kShapes) {
      const std::vector<float> weight = some_weights(s, 1);
      Numbers<float> packed(s.weights()), bias(static_cast<size_t>(s.out_channels));
      pack(s, weight.data(), k->panel_width, packed.data());
      for (size_t o = 0; o < bias.size(); ++o) bias[o] = 0.1f * static_cast<float>(o % 7) - 0.3f;
      Numbers<float> values(values_needed(s));
      for (const int patches : {1, 2, 5}) {
        for (const int border : {0, 1}) {
          Numbers<float> in(static_cast<size_t>(patches) * s.in_patch());
          const std::vector<float> noise = normal(in.size(), 1, 2);
          inside(s, patches, [&](size_t i) { in[i] = std::max(noise[i], 0.f); });
          const size_t apart = s.out_patch(border) + 16;
          Numbers<float> out(static_cast<size_t>(patches) * apart);
          k->convolve({s, packed.data(), bias.data()}, in.data(), patches, out.data(), border, apart, values.data());
          const int width = s.out_width + 2 * border;
          double largest = 0;
          look_around(s, patches, [&](int p, int y, int x, int o) {
            const size_t at = static_cast<size_t>(p) * apart +
                              static_cast<size_t>(((y + border) * width + x + border) * s.out_channels + o);
            const double expected =
                std::max(0., plain(s, in.data(), weight, p, y, x, o) + bias[static_cast<size_t>(o)]);
            largest = std::max(largest, std::abs(out[at] - expected));
          });
          EXPECT_LT(largest, 5e-5) << k->name << ", " << s.in_channels << " channels, stride " << s.stride;
          if (border == 0) continue;
          double edge = 0;  // stays zero
          for (int x = 0; x < width * s.out_channels; ++x) edge += std::abs(out[static_cast<size_t>(x)]);
          EXPECT_EQ(edge, 0) << k->name;
        }
      }
    }
  }
}

// The weights that the integers stand for: a sum at one point over channels, exactly, in 64 bits.
struct Exact {
  const ConvShape& s;
  const int16_t* packed;
  int width;  // of a panel

  int64_t weight(int point, int i, int o) const {
    const int panel = o / width, pairs = s.in_channels / 2;
    return packed[(((panel * s.points() + point) * pairs + i / 2) * width + o % width) * 2 + i % 2];
  }
};

// In integers, the tile of 4x4 results that (y, x) is in: Winograd's sums in 64 bits, then scales in double.
double by_winograd(const Exact& exact, const float* scale, const uint8_t* in, int patch, int y, int x, int o) {
  const ConvShape& s = exact.s;
  const Transform& t = s.transform();
  const int n = t.points, width = s.in_width() + 2 * kBorder, top = y / kTile * t.step, left = x / kTile * t.step;
  double result = 0;
  for (int v = 0; v < n; ++v) {
    for (int u = 0; u < n; ++u) {
      int64_t sum = 0;
      for (int c = 0; c < s.in_channels; ++c) {
        int64_t value = 0;
        for (int j = 0; j < n; ++j) {
          for (int i = 0; i < n; ++i) {
            const int at = ((top + j) * width + left + i) * s.in_channels + c;
            value += static_cast<int64_t>(t.input[v][j] * t.input[u][i]) *
                     in[static_cast<size_t>(patch) * s.in_patch() + static_cast<size_t>(at)];
          }
        }
        EXPECT_LE(std::abs(value), 32767);
        sum += value * exact.weight(v * n + u, c, o);
      }
      EXPECT_LE(std::abs(sum), int64_t{2147483647});
      result += t.output[y % kTile][v] * t.output[x % kTile][u] * static_cast<double>(sum) *
                scale[(v * n + u) * s.out_channels + o];
    }
  }
  return result;
}

// Bytes are noise in the first patch, all 255 in the second; in the third they make the sum at one point, for one
// channel, as large as it can be.
void fill_bytes(const ConvShape& s, const Exact& exact, Numbers<uint8_t>& in) {
  RngStream rng(RngKey(5, Draw::kView));
  inside(s, 1, [&](size_t i) { in[i] = static_cast<uint8_t>(rng.bits()); });
  inside(s, 1, [&](size_t i) { in[s.in_patch() + i] = 255; });
  const Transform& t = s.transform();
  const int width = s.in_width() + 2 * kBorder, v = 0, u = 0, o = 1;
  inside(s, 1, [&](size_t i) {
    const int c = static_cast<int>(i) % s.in_channels, pixel = static_cast<int>(i) / s.in_channels;
    const int j = pixel / width % t.step, k = pixel % width % t.step;
    const double sign = t.input[v][j] * t.input[u][k] * static_cast<double>(exact.weight(0, c, o));
    in[2 * s.in_patch() + i] = sign > 0 ? 255 : 0;
  });
}

TEST(SimdKernels, ConvolutionsOfBytesAreExactUpToTheLastRounding) {
  constexpr int kPatches = 3;
  for (const Kernels* k : all_kernels()) {
    for (const ConvShape& s : kShapes) {
      const std::vector<float> weight = some_weights(s, 3);
      Numbers<int16_t> packed(s.weights()), values(values_needed(s));
      Numbers<float> scale(static_cast<size_t>(s.points() * s.out_channels)), bias(static_cast<size_t>(s.out_channels));
      pack_int16(s, weight.data(), 0.02f, 0.05f, k->panel_width_int16, packed.data(), scale.data());
      for (size_t o = 0; o < bias.size(); ++o) bias[o] = static_cast<float>(o % 5);
      const Exact exact{s, packed.data(), k->panel_width_int16};
      Numbers<uint8_t> in(kPatches * s.in_patch()), bytes(kPatches * s.out_patch(1));
      fill_bytes(s, exact, in);
      Numbers<float> floats(kPatches * s.out_patch(0));
      const ByteConv conv{s, packed.data(), scale.data(), bias.data()};
      k->convolve_bytes_to_floats(conv, in.data(), kPatches, floats.data(), 0, s.out_patch(0), values.data());
      k->convolve_bytes(conv, in.data(), kPatches, bytes.data(), 1, s.out_patch(1), values.data());
      double largest = 0, off = 0;
      for (int p = 0; p < kPatches; ++p) {
        for (const int at : {0, 5, s.out_width - 1}) {
          for (const int o : {0, 1, s.out_channels - 1}) {
            const double b = bias[static_cast<size_t>(o)];
            const double expected = std::max(0., by_winograd(exact, scale.data(), in.data(), p, at, at, o) + b);
            const size_t pixel = static_cast<size_t>((at * s.out_width + at) * s.out_channels + o);
            const float found = floats[static_cast<size_t>(p) * s.out_patch(0) + pixel];
            largest = std::max(largest, std::abs(found - expected));
            const auto wide = static_cast<size_t>(((at + 1) * (s.out_width + 2) + at + 1) * s.out_channels + o);
            const int byte = bytes[static_cast<size_t>(p) * s.out_patch(1) + wide];
            off = std::max(off, std::abs(byte - std::min(255., std::nearbyint(double{found}))));
            // What the integers stand for is the convolution.
            const double real = std::max(0., plain(s, in.data(), weight, p, at, at, o) * 0.02 / 0.05 + b);
            EXPECT_NEAR(found, real, 0.5) << k->name << ", " << s.in_channels << ", stride " << s.stride;
          }
        }
      }
      EXPECT_LT(largest, 5e-3) << k->name << ", " << s.in_channels << " channels, stride " << s.stride;
      EXPECT_EQ(off, 0) << k->name << ", " << s.in_channels << " channels, stride " << s.stride;
    }
  }
}

TEST(SimdKernels, ConvolutionsOfBytesWithoutWinogradsPoints) {
  constexpr int kPatches = 2;
  constexpr float kSourceStep = 0.02f, kResultStep = 0.05f;
  for (const Kernels* k : all_kernels()) {
    if (k->convolve_directly == nullptr) continue;
    for (const ConvShape& s : {kShapes[1], kShapes[3]}) {
      const std::vector<float> weight = some_weights(s, 3);
      Numbers<int8_t> packed(weight.size());
      Numbers<float> scale(static_cast<size_t>(s.out_channels)), bias(scale.size());
      pack_int8(s, weight.data(), kSourceStep, kResultStep, k->panel_width_int16, packed.data(), scale.data());
      for (size_t o = 0; o < bias.size(); ++o) bias[o] = static_cast<float>(o % 5);
      std::vector<float> rounded = weight;
      for (size_t i = 0; i < rounded.size(); ++i) {
        const float step = scale[i / static_cast<size_t>(9 * s.in_channels)] * kResultStep / kSourceStep;
        rounded[i] = std::nearbyint(rounded[i] / step) * step;
      }
      Numbers<uint8_t> in(kPatches * s.in_patch());  // noise, then all 255
      RngStream rng(RngKey(6, Draw::kView));
      inside(s, 1, [&](size_t i) { in[i] = static_cast<uint8_t>(rng.bits()); });
      inside(s, 1, [&](size_t i) { in[s.in_patch() + i] = 255; });
      for (const int border : {0, 1}) {
        const int width = s.out_width + 2 * border;
        const size_t apart = s.out_patch(border) + 64;
        Numbers<uint8_t> out(kPatches * apart);
        const DirectConv conv{s, packed.data(), scale.data(), bias.data()};
        k->convolve_directly(conv, in.data(), kPatches, out.data(), border, apart);
        double off = 0, off_unrounded = 0;
        look_around(s, kPatches, [&](int p, int y, int x, int o) {
          const int found = out[static_cast<size_t>(p) * apart +
                                static_cast<size_t>(((y + border) * width + x + border) * s.out_channels + o)];
          const auto away = [&](const std::vector<float>& of) {
            const double sum = plain(s, in.data(), of, p, y, x, o) * kSourceStep / kResultStep;
            return std::abs(found - std::clamp(sum + bias[static_cast<size_t>(o)], 0., 255.));
          };
          off = std::max(off, away(rounded));
          off_unrounded = std::max(off_unrounded, away(weight));
        });
        EXPECT_LT(off, 0.501) << k->name << ", " << s.in_channels << ": more than the last rounding";
        EXPECT_LT(off_unrounded, 5) << k->name << ", " << s.in_channels << ": weights of 8 bits";
        int edge = 0;  // stays zero
        for (int x = 0; border == 1 && x < width * s.out_channels; ++x) edge += out[static_cast<size_t>(x)];
        EXPECT_EQ(edge, 0) << k->name;
      }
    }
  }
}

TEST(SimdKernels, TheFirstLayer) {
  constexpr int kWidth = 32, kChannels = 32, kPitch = kWidth + 2;
  const std::vector<float> weights = normal(10 * kChannels, 40, 7), noise = normal(kPitch * kPitch, 1, 8);
  Numbers<float> in(kPitch * kPitch);
  for (int y = 1; y <= kWidth; ++y)
    std::copy_n(&noise[static_cast<size_t>(y * kPitch + 1)], kWidth, &in[static_cast<size_t>(y * kPitch + 1)]);
  in[static_cast<size_t>(5 * kPitch + 5)] = 1e12f;  // far beyond a byte
  for (const Kernels* k : all_kernels()) {
    Numbers<float> floats(kPitch * kPitch * kChannels);
    Numbers<uint8_t> bytes(kPitch * kPitch * kChannels);
    k->first(in.data(), kWidth, weights.data(), kChannels, floats.data());
    k->first_to_bytes(in.data(), kWidth, weights.data(), kChannels, bytes.data());
    for (int y = 0; y < kWidth; ++y) {
      for (int x = 0; x < kWidth; ++x) {
        for (int c = 0; c < kChannels; ++c) {
          double sum = weights[static_cast<size_t>(9 * kChannels + c)], size = 1;
          for (int tap = 0; tap < 9; ++tap) {
            const double product = double{weights[static_cast<size_t>(tap * kChannels + c)]} *
                                   in[static_cast<size_t>((y + tap / 3) * kPitch + x + tap % 3)];
            sum += product;
            size += std::abs(product);
          }
          const auto at = static_cast<size_t>(((y + 1) * kPitch + x + 1) * kChannels + c);
          ASSERT_NEAR(floats[at], std::max(sum, 0.), 1e-6 * size) << k->name;
          ASSERT_EQ(bytes[at], std::min(255.f, std::nearbyint(floats[at]))) << k->name;
        }
      }
    }
  }
}

}  // namespace
}  // namespace adasample::simd
