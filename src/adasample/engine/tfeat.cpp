// SPDX-License-Identifier: Apache-2.0
#include "adasample/engine/tfeat.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "adasample/base/conventions.h"
#include "adasample/base/parallel.h"
#include "adasample/engine/call_sizes.h"
#include "adasample/model/folded_weights.h"
#include "adasample/model/halve.h"
#include "adasample/model/tfeat.h"

namespace adasample {
namespace {

constexpr double kEpsilon = 1e-5;

using Values = std::vector<float>;

void apply_tanh(Values& values) {
  for (float& v : values) v = std::tanh(v);
}

// Valid convolution of (channels, width, width). Sizes known to the compiler keep a plane of sums in registers.
template <size_t channels, size_t width, size_t kernel>
Values convolve_valid(const Values& in, const TFeatLayer& layer) {
  constexpr size_t result = width - kernel + 1;
  Values out;
  out.reserve(layer.bias.size() * result * result);
  const float* weight = layer.weight.data();
  for (const float bias : layer.bias) {
    std::array<float, result * result> sums;
    sums.fill(bias);
    for (size_t c = 0; c < channels; ++c) {
      for (size_t v = 0; v < kernel; ++v) {
        for (size_t u = 0; u < kernel; ++u, ++weight) {
          const float* from = &in[(c * width + v) * width + u];
          for (size_t y = 0; y < result; ++y) {
            for (size_t x = 0; x < result; ++x) sums[y * result + x] += *weight * from[y * width + x];
          }
        }
      }
    }
    out.insert(out.end(), sums.begin(), sums.end());
  }
  return out;
}

// The largest of each 2x2.
Values max_pool(const Values& in, size_t channels, size_t width) {
  const size_t half = width / 2;
  Values out;
  out.reserve(channels * half * half);
  for (size_t c = 0; c < channels; ++c) {
    for (size_t y = 0; y < half; ++y) {
      for (size_t x = 0; x < half; ++x) {
        const float* p = &in[(c * width + 2 * y) * width + 2 * x];
        out.push_back(std::max({p[0], p[1], p[width], p[width + 1]}));
      }
    }
  }
  return out;
}

class TFeat : public Descriptor {
 public:
  TFeat(Weights weights, std::string label)
      : weights_(std::move(weights)), layers_(tfeat_layers(weights_)), label_(std::move(label)) {}
  std::string name() const override { return label_; }
  int dimension() const override { return kDescriptorSize; }

  void describe(std::span<const uint8_t> patches, int64_t count, int size, std::span<float> out) override {
    check_sizes(patches, count, size, out, kDescriptorSize);
    parallel_for(count, [&](int64_t i) {
      const uint8_t* patch = patches.data() + i * size * size;
      std::array<uint8_t, kPatchArea> halved;
      if (size != kPatchSize) {
        halve_patch(patch, halved.data(), kPatchSize);
        patch = halved.data();
      }
      describe_one(patch, out.data() + i * kDescriptorSize);
    });
  }

 private:
  void describe_one(const uint8_t* patch, float* out) const {
    const PatchMoments moments = patch_moments(patch, kPatchSize);
    const double scale = 1 / std::sqrt(moments.squares / kPatchArea + kEpsilon);
    Values x(kPatchArea);
    for (int i = 0; i < kPatchArea; ++i)
      x[static_cast<size_t>(i)] = static_cast<float>((patch[i] - moments.mean) * scale);
    x = convolve_valid<1, kPatchSize, 7>(x, layers_.first);  // (32, 26, 26)
    apply_tanh(x);
    x = convolve_valid<32, 13, 6>(max_pool(x, 32, 26), layers_.second);  // (64, 8, 8)
    apply_tanh(x);
    const float* weight = layers_.last.weight.data();
    for (size_t o = 0; o < kDescriptorSize; ++o) {
      double sum = layers_.last.bias[o];
      for (const float value : x) sum += double{*weight++} * value;
      out[o] = static_cast<float>(std::tanh(sum));
    }
  }

  Weights weights_;
  TFeatLayers layers_;  // views into weights_
  std::string label_;
};

}  // namespace

std::unique_ptr<Descriptor> make_tfeat(Weights weights, std::string label) {
  return std::make_unique<TFeat>(std::move(weights), std::move(label));
}

}  // namespace adasample
