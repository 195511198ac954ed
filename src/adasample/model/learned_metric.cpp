// SPDX-License-Identifier: Apache-2.0
#include "adasample/model/learned_metric.h"

#include <algorithm>
#include <vector>

#include "adasample/base/error.h"
#include "adasample/base/parallel.h"

namespace adasample {
namespace {

constexpr int64_t kTogether = 256;  // rows, or pairs, of one piece of work

// Eight sums side by side, which compilers make vectors of without being allowed to change a sum's order.
float dot(const float* a, const float* b, size_t count) {
  constexpr size_t kLanes = 8;
  float sums[kLanes] = {};
  size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (size_t lane = 0; lane < kLanes; ++lane) sums[lane] += a[i + lane] * b[i + lane];
  }
  float sum = 0;
  for (; i < count; ++i) sum += a[i] * b[i];
  for (const float lane : sums) sum += lane;
  return sum;
}

class LearnedMetric : public PairMetric {
 public:
  explicit LearnedMetric(const Weights& weights) : dimension_(static_cast<size_t>(weights.network().descriptor_size)) {
    const Network& network = weights.network();
    const std::vector<PlaneShape> around = network.metric_extents();
    for (size_t i = 0; i < network.metric.size(); ++i) {
      const NetLayer& layer = network.metric[i];
      if (layer.kind == LayerKind::kRelu) {
        layers_.back().relu = true;
        continue;
      }
      Layer made{static_cast<size_t>(around[i].channels), static_cast<size_t>(layer.channels)};
      for (const NetArray& array : network.arrays(layer, around[i])) {
        (array.role == NetArray::Role::kWeight ? made.weight : made.bias) = weights.at(array.name, array.shape).values;
      }
      made.bias.resize(made.outs, 0.f);
      layers_.push_back(std::move(made));
    }
  }

  void measure(std::span<const float> rows, std::span<const int64_t> first, std::span<const int64_t> second,
               std::span<double> distances) const override {
    ADA_ASSERT(first.size() == distances.size() && second.size() == distances.size());
    const Layer& front = layers_.front();
    const size_t count = rows.size() / dimension_;
    std::vector<float> left(count * front.outs), right(count * front.outs);
    in_pieces(count, [&](size_t row) {
      const float* x = &rows[row * dimension_];
      for (size_t o = 0; o < front.outs; ++o) {
        const float* w = &front.weight[o * front.ins];
        left[row * front.outs + o] = dot(w, x, dimension_) + front.bias[o];
        right[row * front.outs + o] = dot(w + dimension_, x, dimension_);
      }
    });
    in_pieces(distances.size(), [&](size_t pair) {
      std::vector<float> x(front.outs);
      const float *a = &left[static_cast<size_t>(first[pair]) * front.outs],
                  *b = &right[static_cast<size_t>(second[pair]) * front.outs];
      for (size_t o = 0; o < front.outs; ++o) x[o] = a[o] + b[o];
      if (front.relu) clip(x);
      for (size_t i = 1; i < layers_.size(); ++i) x = layers_[i].apply(x);
      distances[pair] = double{x[0]} - double{x[1]};
    });
  }

 private:
  struct Layer {
    size_t ins, outs;
    bool relu = false;
    std::vector<float> weight = {}, bias = {};

    std::vector<float> apply(const std::vector<float>& x) const {
      std::vector<float> y(outs);
      for (size_t o = 0; o < outs; ++o) y[o] = dot(&weight[o * ins], x.data(), ins) + bias[o];
      if (relu) clip(y);
      return y;
    }
  };

  static void clip(std::vector<float>& x) {
    for (float& value : x) value = std::max(value, 0.f);
  }

  template <typename Body>
  static void in_pieces(size_t count, const Body& body) {
    const auto all = static_cast<int64_t>(count);
    parallel_for((all + kTogether - 1) / kTogether, [&](int64_t piece) {
      for (int64_t i = piece * kTogether; i < std::min(all, (piece + 1) * kTogether); ++i) body(static_cast<size_t>(i));
    });
  }

  size_t dimension_;
  std::vector<Layer> layers_;
};

}  // namespace

std::unique_ptr<PairMetric> make_learned_metric(const Weights& weights) {
  if (weights.network().metric.empty()) return nullptr;
  return std::make_unique<LearnedMetric>(weights);
}

void refuse_learned_metric(const Descriptor& descriptor, std::string_view who) {
  ADA_CHECK(
      descriptor.metric() == nullptr,
      "[{}] {}: expected descriptors that are compared by their distance, found a learned metric, which only tells "
      "pairs apart - eval patches and eval phototour score it",
      who, descriptor.name());
}

}  // namespace adasample
