// SPDX-License-Identifier: Apache-2.0
#include "adasample/engine/simd/pack.h"

#include <algorithm>
#include <cmath>

#include "adasample/base/bytes/rounding.h"
#include "adasample/base/parallel.h"
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
  const auto outs = static_cast<size_t>(s.out_channels);
  // Training packs anew in every iteration: a channel a task, and every loop that counts runs along the outputs.
  parallel_for(s.in_channels, [&](int64_t i) {
    std::vector<double> taps(9 * outs), sums(3 * outs);  // (tap, out), (column, out)
    double *w = taps.data(), *row = sums.data();         // the index of a vector is checked, one by one
    for (size_t o = 0; o < outs; ++o) {
      const float* from = weight + (o * static_cast<size_t>(s.in_channels) + static_cast<size_t>(i)) * 9;
      for (size_t tap = 0; tap < 9; ++tap) w[tap * outs + o] = from[tap];
    }
    for (int v = 0; v < n; ++v) {
      const auto& along = t.kernel[v];
      for (size_t e = 0; e < 3 * outs; ++e) {
        row[e] = along[0] * w[e] + along[1] * w[3 * outs + e] + along[2] * w[6 * outs + e];
      }
      for (int u = 0; u < n; ++u) {
        const auto& across = t.kernel[u];
        float* to = &values[static_cast<size_t>(v * n + u) * pairs + static_cast<size_t>(i) * outs];
        for (size_t o = 0; o < outs; ++o) {
          to[o] = static_cast<float>(across[0] * row[o] + across[1] * row[outs + o] + across[2] * row[2 * outs + o]);
        }
      }
    }
  });
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
  std::vector<float> per_step(static_cast<size_t>(s.points() * s.out_channels));  // (points, out)
  parallel_for(s.points(), [&](int64_t p) {
    const auto outs = static_cast<size_t>(s.out_channels);
    const float* from = &values[static_cast<size_t>(p * s.in_channels) * outs];
    std::vector<double> sums(outs), largest_weights(outs);
    double *sum = sums.data(), *most = largest_weights.data();
    for (int i = 0; i < s.in_channels; ++i, from += outs) {
      for (size_t o = 0; o < outs; ++o) {
        const double w = std::abs(from[o]);
        sum[o] += w;
        most[o] = std::max(most[o], w);
      }
    }
    // Rounding adds half a step for each weight.
    const double room = kMostSum / largest[static_cast<size_t>(p)] - s.in_channels;
    for (size_t o = 0; o < outs; ++o) {
      const double steps = most[o] > 1e-30 ? std::min(kMostWeight / most[o], room / sum[o]) : 1;  // zeros stay zeros
      const size_t at = static_cast<size_t>(p) * outs + o;
      per_step[at] = static_cast<float>(steps);
      scale[at] = static_cast<float>(source_step / (steps * result_step));
    }
  });
  const int rows = s.points() * s.in_channels;
  parallel_for(s.out_channels / panel_width, [&](int64_t panel) {
    const int column = static_cast<int>(panel) * panel_width;
    int16_t* to = packed + int64_t{rows} * column;
    for (int row = 0; row < rows; row += 2) {
      const float* steps = &per_step[static_cast<size_t>(row / s.in_channels * s.out_channels + column)];
      const float* from = &values[static_cast<size_t>(row * s.out_channels + column)];
      for (int o = 0; o < panel_width; ++o) {
        *to++ = static_cast<int16_t>(rounded(from[o] * steps[o]));
        *to++ = static_cast<int16_t>(rounded(from[s.out_channels + o] * steps[o]));
      }
    }
  });
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
          *packed++ = static_cast<int8_t>(rounded(w * per_step[static_cast<size_t>(o)]));
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
  const auto parts = fan_in / kLastAtOnce;
  std::vector<Weight> steps(static_cast<size_t>(kLastColumns) * static_cast<size_t>(fan_in));  // (out, pixel, channel)
  parallel_for(kLastColumns, [&](int64_t o) {
    std::vector<float> turned(static_cast<size_t>(fan_in));
    float* row = turned.data();
    for (int pixel = 0; pixel < pixels; ++pixel) {
      for (int channel = 0; channel < in_channels; ++channel) {
        row[pixel * in_channels + channel] = weight[o * fan_in + channel * pixels + pixel];
      }
    }
    double largest_sum = 0;
    float most = 0;
    for (int part = 0; part < parts; ++part) {
      double sum = 0;
      const float* begin = row + part * kLastAtOnce;
      for (int k = 0; k < kLastAtOnce; ++k) {
        sum += std::abs(begin[k]);
        most = std::max(most, std::abs(begin[k]));
      }
      largest_sum = std::max(largest_sum, sum);
    }
    const double room = kMostSum / most_input - kLastAtOnce;
    const float step = most > 1e-30f ? static_cast<float>(1 / std::min(most_weight / most, room / largest_sum)) : 1;
    scale[o] = step;
    Weight* to = steps.data() + o * fan_in;
    for (int k = 0; k < fan_in; ++k) to[k] = static_cast<Weight>(rounded(row[k] / step));
  });
  parallel_for(parts, [&](int64_t part) {
    const auto begin = part * kLastAtOnce;
    Weight* to = packed + begin * kLastColumns;
    for (int column = 0; column < kLastColumns; column += panel_width) {
      for (int64_t k = begin; k < begin + kLastAtOnce; k += together) {
        for (int o = column; o < column + panel_width; ++o) {
          to = std::copy_n(steps.data() + int64_t{o} * fan_in + k, together, to);
        }
      }
    }
  });
}

}  // namespace

void pack_last_int16(const float* weight, int in_channels, int width, int panel_width, int16_t* packed, float* scale) {
  pack_last_in_steps<2>(weight, in_channels, width, panel_width, kMostWeight, kLargestSmall, packed, scale);
}

void pack_last_int8(const float* weight, int in_channels, int width, int panel_width, int8_t* packed, float* scale) {
  pack_last_in_steps<4>(weight, in_channels, width, panel_width, kMostByte, 255, packed, scale);
}

}  // namespace adasample::simd
