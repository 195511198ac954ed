// SPDX-License-Identifier: Apache-2.0
#include "adasample/engine/cpu_engine.h"

#include <algorithm>
#include <utility>

#include "adasample/base/error.h"
#include "adasample/engine/worker_pool.h"
#include "adasample/kernels/onednn_net.h"
#include "adasample/kernels/reference_net.h"
#include "adasample/model/halve.h"

namespace adasample {
namespace {

constexpr int kInput = 32, kArea = kInput * kInput, kDimension = 128;
constexpr int64_t kBatch = 64;  // of 16, 32 and 64 the fastest (bench/README.md)

// Cuts calls into pieces for its threads; what a piece is done by is the derived class's.
class CpuEngine : public Engine {
 public:
  CpuEngine(std::string label, int threads) : label_(std::move(label)), pool_(threads) {
    for (int i = 0; i < threads; ++i) halved_.emplace_back(static_cast<size_t>(kBatch * kArea));
  }
  std::string name() const override { return label_; }
  int dimension() const override { return kDimension; }

  void describe(std::span<const uint8_t> patches, int64_t count, int size, std::span<float> out) override {
    ADA_CHECK(size == kInput || size == 2 * kInput,
              "[engine] patches are {0}x{0}, the network reads {1}x{1} (or {2}x{2}, halved)", size, kInput, 2 * kInput);
    const int64_t area = int64_t{size} * size;
    ADA_ASSERT(patches.size() == static_cast<size_t>(count * area));
    ADA_ASSERT(out.size() == static_cast<size_t>(count) * kDimension);
    // Few patches are spread over all threads.
    const int64_t share = (count + pool_.threads() - 1) / pool_.threads(),
                  piece = std::clamp<int64_t>(share, 1, kBatch);
    auto body = [&](int64_t i, int worker) {
      const int64_t begin = i * piece, length = std::min(piece, count - begin);
      const uint8_t* from = patches.data() + begin * area;
      if (size != kInput) from = halve(from, length, worker);
      run(from, length, out.data() + begin * kDimension, worker);
    };
    pool_.run((count + piece - 1) / piece, body);
  }

 protected:
  // Up to kBatch patches of 32x32 on a worker's thread.
  virtual void run(const uint8_t* patches, int64_t count, float* out, int worker) = 0;
  int threads() const { return pool_.threads(); }

 private:
  const uint8_t* halve(const uint8_t* from, int64_t count, int worker) {
    uint8_t* to = halved_[static_cast<size_t>(worker)].data();
    for (int64_t i = 0; i < count; ++i) halve_patch(from + i * 4 * kArea, to + i * kArea, kInput);
    return to;
  }

  std::string label_;
  std::vector<std::vector<uint8_t>> halved_;  // one a worker
  WorkerPool pool_;                           // last: its threads end before the rest goes
};

class ReferenceEngine : public CpuEngine {
 public:
  ReferenceEngine(const Weights& weights, std::string label, int threads)
      : CpuEngine(std::move(label), threads), net_(fold_batch_norm(weights, l2net()), l2net()) {}
  void refold(const Weights& weights) override { net_ = ReferenceNet(fold_batch_norm(weights, l2net()), l2net()); }

 private:
  void run(const uint8_t* patches, int64_t count, float* out, int) override {
    for (int64_t i = 0; i < count; ++i) net_.describe(patches + i * kArea, out + i * kDimension);
  }

  ReferenceNet net_;
};

class OnednnEngine : public CpuEngine {
 public:
  OnednnEngine(const Weights& weights, std::string label, int threads, OnednnNet::Arithmetic arithmetic,
               bool small_calls)
      : CpuEngine(std::move(label), threads) {
    for (const int64_t batch : {kBatch, int64_t{1}}) {
      if (batch < kBatch && !small_calls) break;
      Size& size = sizes_.emplace_back();
      size.net = std::make_unique<OnednnNet>(l2net(), arithmetic, batch);
      for (int i = 0; i < threads; ++i) size.workspaces.push_back(std::make_unique<OnednnNet::Workspace>(*size.net));
    }
    refold(weights);
  }
  void refold(const Weights& weights) override {
    const std::vector<FoldedLayer> layers = fold_batch_norm(weights, l2net());
    const Calibration calibration = calibration_of(weights, l2net());
    for (Size& size : sizes_) size.net->refold(layers, calibration);
  }

 private:
  struct Size {
    std::unique_ptr<OnednnNet> net;
    std::vector<std::unique_ptr<OnednnNet::Workspace>> workspaces;  // one a worker
  };

  void run(const uint8_t* patches, int64_t count, float* out, int worker) override {
    // A whole batch costs about as much as half of it one by one.
    const Size& size = count < kBatch / 2 ? sizes_.back() : sizes_.front();
    for (int64_t begin = 0; begin < count; begin += size.net->batch()) {
      size.net->describe(patches + begin * kArea, std::min(size.net->batch(), count - begin), out + begin * kDimension,
                         *size.workspaces[static_cast<size_t>(worker)]);
    }
  }

  std::vector<Size> sizes_;  // for pieces, and for single patches where these were asked for
};

}  // namespace

std::unique_ptr<Engine> make_reference_engine(const Weights& weights, std::string label, int threads) {
  return std::make_unique<ReferenceEngine>(weights, std::move(label), threads);
}

std::unique_ptr<Engine> make_onednn_engine(const Weights& weights, std::string label, int threads, bool int8,
                                           bool small_calls) {
  return std::make_unique<OnednnEngine>(weights, std::move(label), threads,
                                        int8 ? OnednnNet::Arithmetic::kInt8 : OnednnNet::Arithmetic::kFp32,
                                        small_calls);
}

}  // namespace adasample
