// SPDX-License-Identifier: Apache-2.0
#include "adasample/engine/cuda_engine.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <mutex>
#include <utility>
#include <vector>

#include "adasample/base/error.h"
#include "adasample/base/random/rng.h"
#include "adasample/engine/call_sizes.h"
#include "adasample/gpu/embedder.h"
#include "adasample/gpu/memory.h"
#include "adasample/model/halve.h"

namespace adasample {
namespace {

constexpr int64_t kChunk = gpu::Embedder::kChunk;
constexpr int64_t kArea = 32 * 32;

// (out, in, k, k) -> (out, k, k, in)
std::vector<float> channels_last(const std::vector<float>& values, const ConvLayer& layer) {
  std::vector<float> out(values.size());
  const auto in = static_cast<size_t>(layer.in_channels), area = static_cast<size_t>(layer.kernel * layer.kernel);
  for (size_t i = 0; i < values.size(); ++i) {
    const size_t o = i / (in * area), channel = i / area % in, tap = i % area;
    out[(o * area + tap) * in + channel] = values[i];
  }
  return out;
}

// Weights on the device, folded.
class LoadedEmbedder {
 public:
  LoadedEmbedder(const Weights& weights, int64_t chunk) : embedder_(chunk) { load(weights); }

  void load(const Weights& weights) {
    weights.check_against(l2net());
    std::vector<std::unique_ptr<gpu::Buffer>> before = std::move(arrays_);  // the device may still read them
    arrays_.clear();
    std::array<gpu::FoldInput, gpu::kL2NetLayers> layers;
    for (size_t i = 0; i < layers.size(); ++i) {
      const ConvLayer& layer = l2net().layers[i];
      layers[i] = {upload(channels_last(weights.at(l2net().conv_weight(layer)).values, layer)),
                   upload(weights.at(l2net().running_mean(layer)).values),
                   upload(weights.at(l2net().running_var(layer)).values)};
    }
    embedder_.refold(layers, nullptr);
  }
  gpu::Embedder* operator->() { return &embedder_; }

 private:
  const float* upload(const std::vector<float>& values) {
    arrays_.push_back(std::make_unique<gpu::Buffer>(values.size() * sizeof(float)));
    arrays_.back()->upload(values.data(), values.size() * sizeof(float));
    return arrays_.back()->as<float>();
  }

  gpu::Embedder embedder_;
  std::vector<std::unique_ptr<gpu::Buffer>> arrays_;
};

class CudaEngine : public Engine {
 public:
  CudaEngine(const Weights& weights, std::string name)
      : name_(std::move(name)),
        embedder_(weights, kChunk),
        patches_(static_cast<size_t>(kChunk * kArea)),
        descriptors_(static_cast<size_t>(kChunk * l2net().descriptor_size) * sizeof(float)) {}

  std::string name() const override { return name_; }
  int dimension() const override { return l2net().descriptor_size; }
  void refold(const Weights& weights) override { embedder_.load(weights); }

  void describe(std::span<const uint8_t> patches, int64_t count, int size, std::span<float> out) override {
    const int input = l2net().input_size;
    check_sizes(patches, count, size, out, input, dimension());
    const std::lock_guard lock(mutex_);  // one GPU, one set of buffers
    for (int64_t begin = 0; begin < count; begin += kChunk) {
      const int64_t length = std::min(kChunk, count - begin);
      const uint8_t* from = patches.data() + begin * size * size;
      if (size != input) {
        halved_.resize(static_cast<size_t>(length * kArea));
        for (int64_t i = 0; i < length; ++i)
          halve_patch(from + i * size * size, &halved_[static_cast<size_t>(i * kArea)], input);
        from = halved_.data();
      }
      patches_.upload(from, static_cast<size_t>(length * kArea));
      embedder_->embed(patches_.as<uint8_t>(), length, descriptors_.as<float>(), nullptr);
      descriptors_.download(out.data() + begin * dimension(),
                            static_cast<size_t>(length * dimension()) * sizeof(float));
    }
  }

 private:
  std::string name_;
  std::mutex mutex_;
  LoadedEmbedder embedder_;
  gpu::Buffer patches_, descriptors_;
  std::vector<uint8_t> halved_;
};

}  // namespace

bool cuda_engine_available() { return gpu::Embedder::available(); }

std::unique_ptr<Engine> make_cuda_engine(const Weights& weights, std::string name) {
  return std::make_unique<CudaEngine>(weights, std::move(name));
}

double measure_cuda_engine(const Weights& weights, int64_t count, int rounds) {
  LoadedEmbedder embedder(weights, std::min<int64_t>(count, 16384));  // a batch of training's sampling pass
  std::vector<uint8_t> bytes(static_cast<size_t>(count * kArea));
  RngStream rng(RngKey(0, Draw::kView));
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(rng.bits());
  gpu::Buffer patches(bytes.size()), descriptors(static_cast<size_t>(count * l2net().descriptor_size) * sizeof(float));
  patches.upload(bytes.data(), bytes.size());
  std::vector<double> seconds;
  for (int round = 0; round < rounds + 2; ++round) {  // two to warm up
    const auto begin = std::chrono::steady_clock::now();
    embedder->embed(patches.as<uint8_t>(), count, descriptors.as<float>(), nullptr);
    float last = 0;
    descriptors.download(&last, sizeof last);  // waits
    if (round >= 2) seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  std::nth_element(seconds.begin(), seconds.begin() + rounds / 2, seconds.end());
  return seconds[static_cast<size_t>(rounds / 2)];
}

}  // namespace adasample
