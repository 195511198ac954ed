// SPDX-License-Identifier: Apache-2.0
#include "adasample/engine/simd/pack.h"

#include <algorithm>
#include <cmath>

#include "adasample/engine/simd/kernels.h"

namespace adasample::simd {
namespace {

constexpr double kMostSum = 2147483647, kMostWeight = 32767;
constexpr float kMostByte = 127;

// Weights at the points: (points, in, out).
std::vector<float> at_points(const ConvShape& s, const float* weight) {
  const Transform& t = s.transform();
  const int n = t.points;
  const auto pairs = static_cast<size_t>(s.in_channels * s.out_channels);
  std::vector<float> values(s.weights());
  for (int i = 0; i < s.in_channels; ++i) {
    for (int o = 0; o < s.out_channels; ++o) {
      const float* w = weight + (o * s.in_channels + i) * 9;
      float* to = &values[static_cast<size_t>(i * s.out_channels + o)];
      for (int v = 0; v < n; ++v) {
        double row[3];
        for (int x = 0; x < 3; ++x)
          row[x] = t.kernel[v][0] * w[x] + t.kernel[v][1] * w[3 + x] + t.kernel[v][2] * w[6 + x];
        for (int u = 0; u < n; ++u) {
          to[static_cast<size_t>(v * n + u) * pairs] =
              static_cast<float>(t.kernel[u][0] * row[0] + t.kernel[u][1] * row[1] + t.kernel[u][2] * row[2]);
        }
      }
    }
  }
  return values;
}

}  // namespace

void pack(const ConvShape& s, const float* weight, int panel_width, float* packed) {
  const std::vector<float> values = at_points(s, weight);
  for (int column = 0; column < s.out_channels; column += panel_width) {
    for (int row = 0; row < s.points() * s.in_channels; ++row) {
      packed = std::copy_n(&values[static_cast<size_t>(row * s.out_channels + column)], panel_width, packed);
    }
  }
}

std::vector<double> largest_values(const ConvShape& s) {
  const Transform& t = s.transform();
  std::vector<double> largest;
  for (int v = 0; v < t.points; ++v) {
    for (int u = 0; u < t.points; ++u) {
      double above = 0, below = 0;
      for (int y = 0; y < t.points; ++y) {
        for (int x = 0; x < t.points; ++x) {
          const double factor = t.input[v][y] * t.input[u][x];
          (factor > 0 ? above : below) += std::abs(factor);
        }
      }
      largest.push_back(255 * std::max(above, below));
    }
  }
  return largest;
}

void pack_int16(const ConvShape& s, const float* weight, float source_step, float result_step, int panel_width,
                int16_t* packed, float* scale) {
  const std::vector<float> values = at_points(s, weight);
  const std::vector<double> largest = largest_values(s);
  std::vector<float> per_step;  // (points, out)
  for (int p = 0; p < s.points(); ++p) {
    const float* from = &values[static_cast<size_t>(p * s.in_channels * s.out_channels)];
    for (int o = 0; o < s.out_channels; ++o) {
      double sum = 0, most = 0;
      for (int i = 0; i < s.in_channels; ++i) {
        const double w = std::abs(from[i * s.out_channels + o]);
        sum += w;
        most = std::max(most, w);
      }
      // Rounding adds half a step for each weight.
      const double room = kMostSum / largest[static_cast<size_t>(p)] - s.in_channels;
      const double steps = most > 1e-30 ? std::min(kMostWeight / most, room / sum) : 1;  // zeros stay zeros
      per_step.push_back(static_cast<float>(steps));
      *scale++ = static_cast<float>(source_step / (steps * result_step));
    }
  }
  for (int column = 0; column < s.out_channels; column += panel_width) {
    for (int row = 0; row < s.points() * s.in_channels; row += 2) {
      const float* steps = &per_step[static_cast<size_t>(row / s.in_channels * s.out_channels)];
      for (int o = column; o < column + panel_width; ++o) {
        for (int k = row; k < row + 2; ++k) {
          *packed++ = static_cast<int16_t>(std::lrint(values[static_cast<size_t>(k * s.out_channels + o)] * steps[o]));
        }
      }
    }
  }
}

void pack_int8(const ConvShape& s, const float* weight, float source_step, float result_step, int panel_width,
               int8_t* packed, float* scale) {
  const int fan_in = 9 * s.in_channels;
  std::vector<float> per_step;  // (out)
  for (int o = 0; o < s.out_channels; ++o) {
    float most = 0;
    for (int i = 0; i < fan_in; ++i) most = std::max(most, std::abs(weight[o * fan_in + i]));
    per_step.push_back(most > 1e-30f ? kMostByte / most : 1);  // zeros stay zeros
    scale[o] = source_step / (per_step.back() * result_step);
  }
  for (int column = 0; column < s.out_channels; column += panel_width) {
    for (int k = 0; k < fan_in; k += 4) {
      for (int o = column; o < column + panel_width; ++o) {
        for (int i = k; i < k + 4; ++i) {
          const float w = weight[o * fan_in + i % s.in_channels * 9 + i / s.in_channels];
          *packed++ = static_cast<int8_t>(std::lrint(w * per_step[static_cast<size_t>(o)]));
        }
      }
    }
  }
}

void pack_last(const float* weight, int in_channels, int width, int panel_width, float* packed) {
  const int pixels = width * width, fan_in = in_channels * pixels;
  for (int begin = 0; begin < fan_in; begin += kLastAtOnce) {
    for (int column = 0; column < kLastColumns; column += panel_width) {
      for (int k = begin; k < begin + kLastAtOnce; ++k) {
        const int from = k % in_channels * pixels + k / in_channels;
        for (int o = column; o < column + panel_width; ++o) *packed++ = weight[o * fan_in + from];
      }
    }
  }
}

namespace {

// In steps of scale (out), `together` rows of a column side by side.
template <int together, typename Weight>
void pack_last_in_steps(const float* weight, int in_channels, int width, int panel_width, double most_weight,
                        double most_input, Weight* packed, float* scale) {
  const int pixels = width * width, fan_in = in_channels * pixels;
  const auto at = [&](int o, int k) { return weight[o * fan_in + k % in_channels * pixels + k / in_channels]; };
  for (int o = 0; o < kLastColumns; ++o) {
    double largest_sum = 0, most = 0;
    for (int begin = 0; begin < fan_in; begin += kLastAtOnce) {
      double sum = 0;
      for (int k = begin; k < begin + kLastAtOnce; ++k) {
        sum += std::abs(at(o, k));
        most = std::max(most, double{std::abs(at(o, k))});
      }
      largest_sum = std::max(largest_sum, sum);
    }
    const double room = kMostSum / most_input - kLastAtOnce;
    scale[o] = most > 1e-30 ? static_cast<float>(1 / std::min(most_weight / most, room / largest_sum)) : 1;
  }
  for (int begin = 0; begin < fan_in; begin += kLastAtOnce) {
    for (int column = 0; column < kLastColumns; column += panel_width) {
      for (int k = begin; k < begin + kLastAtOnce; k += together) {
        for (int o = column; o < column + panel_width; ++o) {
          for (int i = k; i < k + together; ++i) *packed++ = static_cast<Weight>(std::lrint(at(o, i) / scale[o]));
        }
      }
    }
  }
}

}  // namespace

void pack_last_int16(const float* weight, int in_channels, int width, int panel_width, int16_t* packed, float* scale) {
  pack_last_in_steps<2>(weight, in_channels, width, panel_width, kMostWeight, kLargestSmall, packed, scale);
}

void pack_last_int8(const float* weight, int in_channels, int width, int panel_width, int8_t* packed, float* scale) {
  pack_last_in_steps<4>(weight, in_channels, width, panel_width, kMostByte, 255, packed, scale);
}

}  // namespace adasample::simd
