// SPDX-License-Identifier: Apache-2.0
#include "adasample/engine/calibrate.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>

#include "adasample/base/error.h"
#include "adasample/base/parallel.h"
#include "adasample/engine/onednn_net.h"
#include "adasample/model/halve.h"

namespace adasample {
namespace {

constexpr size_t kBins = 4096;

void check_patches(int64_t count, int size) {
  const int input = l2net().input_size;
  ADA_CHECK(count >= 1, "[calibration] no patches");
  ADA_CHECK(size == input || size == 2 * input,
            "[calibration] patches are {0}x{0}, the network reads {1}x{1} (or {2}x{2}, halved)", size, input,
            2 * input);
}

}  // namespace

float best_range(std::span<const int64_t> histogram, float largest) {
  const double width = largest / static_cast<double>(histogram.size());
  // From the top: how many lie above a range, and their first and second moments.
  double best = std::numeric_limits<double>::infinity(), range = largest;
  double above = 0, first = 0, second = 0, all = 0;
  for (const int64_t count : histogram) all += static_cast<double>(count);
  for (size_t i = histogram.size(); i > 0; --i) {
    const double r = static_cast<double>(i) * width, step = r / 255;
    const double cut = second - 2 * r * first + r * r * above;
    const double lost = cut + (all - above) * step * step / 12;
    if (lost < best) {
      best = lost;
      range = r;
    }
    const double middle = r - width / 2, count = static_cast<double>(histogram[i - 1]);
    above += count;
    first += count * middle;
    second += count * middle * middle;
  }
  return static_cast<float>(range);
}

struct Calibrator::State {
  OnednnNet net{l2net(), Arithmetic::kFp32, kBatch, thread_count()};
  std::unique_ptr<CpuNet::Workspace> workspace = net.make_workspace();
  std::vector<uint8_t> batch =
      std::vector<uint8_t>(static_cast<size_t>(kBatch * l2net().input_size * l2net().input_size));
  std::vector<float> descriptors = std::vector<float>(static_cast<size_t>(kBatch * l2net().descriptor_size));

  // Runs the patches from `begin` on; a last batch is filled up from the first ones.
  void run(std::span<const uint8_t> patches, int64_t count, int size, int64_t begin) {
    const int input = l2net().input_size;
    const int64_t area = int64_t{input} * input;
    for (int64_t i = 0; i < kBatch; ++i) {
      const uint8_t* from = patches.data() + (begin + i) % count * size * size;
      uint8_t* to = &batch[static_cast<size_t>(i * area)];
      if (size == input) {
        std::memcpy(to, from, static_cast<size_t>(area));
      } else {
        halve_patch(from, to, input);
      }
    }
    net.describe(batch.data(), kBatch, descriptors.data(), *workspace);
  }
};

Calibrator::Calibrator() : state_(std::make_unique<State>()) {}
Calibrator::~Calibrator() = default;

Calibration Calibrator::measure(const Weights& weights, std::span<const uint8_t> patches, int64_t count, int size) {
  const LayerTable& table = l2net();
  check_patches(count, size);
  ADA_ASSERT(patches.size() == static_cast<size_t>(count * size * size));
  state_->net.refold(fold_batch_norm(weights, table), assumed_calibration(table));
  const size_t layers = table.layers.size() - 2;
  const auto for_each_activation = [&](bool again, const std::function<void(size_t, std::span<const float>)>& use) {
    for (int64_t begin = 0; begin < count; begin += kBatch) {
      if (!again || count > kBatch) state_->run(patches, count, size, begin);
      for (size_t layer = 0; layer < layers; ++layer) use(layer, state_->net.activations(layer, *state_->workspace));
    }
  };

  std::vector<float> largest(layers, 1e-6f);
  for_each_activation(false, [&](size_t layer, std::span<const float> values) {
    for (const float v : values) largest[layer] = std::max(largest[layer], v);
  });
  std::vector<std::vector<int64_t>> histograms(layers, std::vector<int64_t>(kBins));
  for_each_activation(true, [&](size_t layer, std::span<const float> values) {
    const float scale = static_cast<float>(kBins) / largest[layer];
    for (const float v : values) {
      if (v > 0) ++histograms[layer][std::min(kBins - 1, static_cast<size_t>(v * scale))];  // zeros lose nothing
    }
  });
  Calibration calibration;
  for (size_t layer = 0; layer < layers; ++layer) {
    calibration.ranges.push_back(best_range(histograms[layer], largest[layer]));
  }
  return calibration;
}

Calibration calibrate(const Weights& weights, std::span<const uint8_t> patches, int64_t count, int size) {
  check_patches(count, size);  // before anything is built
  return Calibrator().measure(weights, patches, count, size);
}

}  // namespace adasample
