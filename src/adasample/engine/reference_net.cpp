// SPDX-License-Identifier: Apache-2.0
#include "adasample/engine/reference_net.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "adasample/base/error.h"
#include "adasample/model/folded_weights.h"

namespace adasample {
namespace {

using Values = std::vector<double>;  // (channels, width, width)
using Array = std::vector<float>;

// The plane of channel c.
const double* plane(const Values& x, const PlaneShape& shape, int c) {
  return &x[static_cast<size_t>(c) * static_cast<size_t>(shape.width) * static_cast<size_t>(shape.width)];
}

// Each tap of a kernel is added to the whole plane at once: the innermost loop runs along a row.
Values convolve(const Values& x, const NetLayer& layer, const PlaneShape& before, const PlaneShape& after,
                const Array& weight, const Array* bias) {
  Values out;
  out.reserve(static_cast<size_t>(after.numbers()));
  const float* w = weight.data();
  for (int o = 0; o < after.channels; ++o) {
    Values sums(static_cast<size_t>(after.width * after.width), bias ? (*bias)[static_cast<size_t>(o)] : 0.0);
    for (int i = 0; i < before.channels; ++i) {
      const double* from = plane(x, before, i);
      for (int tap = 0; tap < layer.kernel * layer.kernel; ++tap, ++w) {
        const int v = tap / layer.kernel - layer.padding, u = tap % layer.kernel - layer.padding;
        // Where u + stride x is inside the row.
        const int first = std::max(0, (-u + layer.stride - 1) / layer.stride),
                  end = std::min(after.width, (before.width - 1 - u + layer.stride) / layer.stride);
        for (int y = 0; y < after.width; ++y) {
          const int row = y * layer.stride + v;
          if (row < 0 || row >= before.width) continue;
          const double *in = from + row * before.width + u, factor = *w;
          double* to = &sums[static_cast<size_t>(y * after.width)];
          for (int column = first; column < end; ++column) to[column] += factor * in[column * layer.stride];
        }
      }
    }
    out.insert(out.end(), sums.begin(), sums.end());
  }
  return out;
}

Values connect(const Values& x, const PlaneShape& after, const Array& weight, const Array* bias) {
  Values out;
  const float* w = weight.data();
  for (int o = 0; o < after.channels; ++o) {
    double sum = bias ? (*bias)[static_cast<size_t>(o)] : 0.0;
    for (const double value : x) sum += double{*w++} * value;
    out.push_back(sum);
  }
  return out;
}

Values pooled(const Values& x, const NetLayer& layer, const PlaneShape& before, const PlaneShape& after) {
  Values out;
  for (int c = 0; c < after.channels; ++c) {
    const double* from = plane(x, before, c);
    for (int at = 0; at < after.width * after.width; ++at) {
      const int top = at / after.width * layer.stride, left = at % after.width * layer.stride;
      double largest = -HUGE_VAL, sum = 0, squares = 0;
      for (int tap = 0; tap < layer.kernel * layer.kernel; ++tap) {
        const int row = top + tap / layer.kernel, column = left + tap % layer.kernel;
        if (row >= before.width || column >= before.width) continue;  // of the largest alone
        const double value = from[row * before.width + column];
        largest = std::max(largest, value);
        sum += value;
        squares += value * value;
      }
      out.push_back(layer.kind == LayerKind::kMaxPool       ? largest
                    : layer.kind == LayerKind::kAveragePool ? sum / (layer.kernel * layer.kernel)
                                                            : std::sqrt(squares + layer.epsilon));
    }
  }
  return out;
}

// value <- f(channel, value), in place.
void for_each(Values& x, const PlaneShape& shape, const std::function<double(size_t, double)>& f) {
  const size_t pixels = x.size() / static_cast<size_t>(shape.channels);
  for (size_t i = 0; i < x.size(); ++i) x[i] = f(i / pixels, x[i]);
}

struct Moments {
  double mean, variance, square;  // biased; square: the mean of x^2
};
Moments moments_of(const double* x, size_t count) {
  double sum = 0, squares = 0, about = 0;
  for (size_t i = 0; i < count; ++i) {
    sum += x[i];
    squares += x[i] * x[i];
  }
  const auto n = static_cast<double>(count);
  for (size_t i = 0; i < count; ++i) about += (x[i] - sum / n) * (x[i] - sum / n);
  return {sum / n, about / n, squares / n};
}

std::vector<Moments> plane_moments(const Values& x, const PlaneShape& shape) {
  std::vector<Moments> all;
  for (int c = 0; c < shape.channels; ++c)
    all.push_back(moments_of(plane(x, shape, c), static_cast<size_t>(shape.width * shape.width)));
  return all;
}

void normalise(double* y, size_t count, double epsilon) {
  double sum = epsilon;
  for (size_t i = 0; i < count; ++i) sum += y[i] * y[i];
  for (size_t i = 0; i < count; ++i) y[i] /= std::sqrt(sum);
}

}  // namespace

ReferenceNet::ReferenceNet(const Weights& weights, const Network& network) : network_(&network) {
  weights.check_against(network);
  if (network.plain() != nullptr) fold_batch_norm(weights, *network.plain());  // refuses what no float can hold
  for (const Tower& tower : network.towers) {
    const std::vector<PlaneShape> around = network.extents(tower);
    auto& steps = towers_.emplace_back();
    for (size_t i = 0; i < tower.layers.size(); ++i) {
      Step step{&tower.layers[i], around[i], around[i + 1], {}};
      for (const NetArray& array : network.arrays(tower.layers[i], around[i])) {
        const auto found = weights.arrays.find(array.name);
        step.arrays.push_back(found == weights.arrays.end() ? Array() : found->second.values);
      }
      const LayerKind kind = step.layer->kind;
      ADA_ASSERT(step.layer->padding == 0 || kind == LayerKind::kConvolution);
      ADA_ASSERT(step.layer->padding_after == 0 || kind == LayerKind::kConvolution || kind == LayerKind::kMaxPool);
      steps.push_back(std::move(step));
    }
  }
}

std::vector<double> ReferenceNet::input_of(const Tower& tower, const uint8_t* patch) const {
  const int size = network_->tower_size(tower), stride = network_->input_size;
  Values x;
  for (int y = 0; y < size; ++y) {
    for (int column = 0; column < size; ++column) {
      const uint8_t* p = patch + 2 * y * stride + 2 * column;
      x.push_back(tower.view == TowerView::kHalved   ? (p[0] + p[1] + p[stride] + p[stride + 1]) / 4.0
                  : tower.view == TowerView::kCentre ? patch[(y + size / 2) * stride + column + size / 2]
                                                     : patch[y * stride + column]);
    }
  }
  const Moments m = moments_of(x.data(), x.size());
  const auto pixels = static_cast<double>(x.size());
  const double epsilon = network_->input_epsilon;
  for (double& value : x) {
    switch (network_->input_norm) {
      case InputNorm::kDeviation:
        value = (value - m.mean) / (std::sqrt(m.variance * pixels / (pixels - 1)) + epsilon);
        break;
      case InputNorm::kVariance:
        value = (value - m.mean) / std::sqrt(m.variance + epsilon);
        break;
      case InputNorm::kFixed:
        value = (value - kFixedMean) / kFixedScale;
        break;
      case InputNorm::kNone:
        break;
    }
  }
  return x;
}

void ReferenceNet::describe(const uint8_t* patch, float* descriptor) const {
  Values all;
  for (size_t t = 0; t < towers_.size(); ++t) {
    Values x = input_of(network_->towers[t], patch);
    for (const auto& [layer, before, after, arrays] : towers_[t]) {
      const double epsilon = layer->epsilon;
      switch (layer->kind) {
        case LayerKind::kConvolution:
          x = convolve(x, *layer, before, after, arrays[0], layer->bias ? &arrays[1] : nullptr);
          break;
        case LayerKind::kFullyConnected:
          x = connect(x, after, arrays[0], layer->bias ? &arrays[1] : nullptr);
          break;
        case LayerKind::kBatchNorm: {
          const size_t first = layer->affine ? 2 : 0;  // of the statistics
          for_each(x, before, [&, &values = arrays](size_t c, double value) {
            const double normed = (value - values[first][c]) / std::sqrt(values[first + 1][c] + epsilon);
            return first == 0 ? normed : values[0][c] * normed + values[1][c];
          });
          break;
        }
        case LayerKind::kInstanceNorm: {
          const std::vector<Moments> m = plane_moments(x, before);
          for_each(x, before, [&](size_t c, double v) { return (v - m[c].mean) / std::sqrt(m[c].variance + epsilon); });
          break;
        }
        case LayerKind::kFilterResponse: {
          const std::vector<Moments> m = plane_moments(x, before);
          const double least = arrays[2].empty() ? epsilon : std::abs(double{arrays[2][0]});
          for_each(x, before, [&, &values = arrays](size_t c, double value) {
            return values[0][c] * value / std::sqrt(m[c].square + least) + values[1][c];
          });
          break;
        }
        case LayerKind::kRelu:
          for_each(x, before, [](size_t, double value) { return std::max(value, 0.0); });
          break;
        case LayerKind::kTlu:
          for_each(x, before,
                   [&values = arrays](size_t c, double value) { return std::max(value, double{values[0][c]}); });
          break;
        case LayerKind::kTanh:
          for_each(x, before, [](size_t, double value) { return std::tanh(value); });
          break;
        case LayerKind::kMaxPool:
        case LayerKind::kAveragePool:
        case LayerKind::kL2Pool:
          x = pooled(x, *layer, before, after);
          break;
        case LayerKind::kDropout:
          break;
      }
    }
    if (network_->unit_output) normalise(x.data(), x.size(), network_->output_epsilon);
    all.insert(all.end(), x.begin(), x.end());
  }
  if (network_->unit_output && towers_.size() > 1) normalise(all.data(), all.size(), network_->output_epsilon);
  std::transform(all.begin(), all.end(), descriptor, [](double value) { return static_cast<float>(value); });
}

}  // namespace adasample
