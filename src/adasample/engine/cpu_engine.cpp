// SPDX-License-Identifier: Apache-2.0
#include "adasample/engine/cpu_engine.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "adasample/base/conventions.h"
#include "adasample/base/error.h"
#include "adasample/base/log.h"
#include "adasample/engine/call_sizes.h"
#include "adasample/engine/onednn_net.h"
#include "adasample/engine/reference_net.h"
#include "adasample/engine/simd_net.h"
#include "adasample/engine/worker_pool.h"
#include "adasample/model/halve.h"
#include "adasample/model/learned_metric.h"

namespace adasample {
namespace {

constexpr int64_t kBatch = 64;  // of 16, 32 and 64 the fastest (bench/README.md)
constexpr int64_t kFew = 32;    // so many one by one, each by all threads, are done before a batch would be

// Cuts calls into pieces for its threads; what a piece is done by is the derived class's.
class CpuEngine : public Engine {
 public:
  // few: so many patches, or fewer, are given to run() with worker kCaller, on the thread that calls.
  CpuEngine(std::string label, int threads, int64_t few, int input = kPatchSize, int dimension = kDescriptorSize)
      : label_(std::move(label)), few_(few), input_(input), dimension_(dimension), pool_(threads) {
    for (int i = 0; i < threads + 1; ++i) halved_.emplace_back(static_cast<size_t>(kBatch * input * input));
  }
  std::string name() const override { return label_; }
  int dimension() const override { return dimension_; }
  int patch_size() const override { return input_; }

  void describe(std::span<const uint8_t> patches, int64_t count, int size, std::span<float> out) override {
    check_sizes(patches, count, size, out, input_, dimension_);
    const int64_t area = int64_t{size} * size;
    if (count <= few_) {
      pool_.require_same_process();  // the threads may be OpenMP's
      const std::lock_guard alone(caller_);
      return describe_piece(patches.data(), count, size, out.data(), kCaller);
    }
    const int64_t share = (count + pool_.threads() - 1) / pool_.threads(),
                  piece = std::clamp<int64_t>(share, 1, kBatch);
    auto body = [&](int64_t i, int worker) {
      const int64_t begin = i * piece, length = std::min(piece, count - begin);
      describe_piece(patches.data() + begin * area, length, size, out.data() + begin * dimension_, worker);
    };
    pool_.run((count + piece - 1) / piece, body);
  }

 protected:
  static constexpr int kCaller = -1;
  // Up to kBatch patches of the network's own size on a worker's thread.
  virtual void run(const uint8_t* patches, int64_t count, float* out, int worker) = 0;

 private:
  void describe_piece(const uint8_t* from, int64_t count, int size, float* out, int worker) {
    if (size != input_) from = halve(from, count, worker);
    run(from, count, out, worker);
  }

  const uint8_t* halve(const uint8_t* from, int64_t count, int worker) {
    uint8_t* to = halved_[static_cast<size_t>(worker + 1)].data();
    const int64_t area = int64_t{input_} * input_;
    for (int64_t i = 0; i < count; ++i) halve_patch(from + i * 4 * area, to + i * area, input_);
    return to;
  }

  std::string label_;
  int64_t few_;
  int input_, dimension_;
  std::mutex caller_;                         // one call of few patches at a time
  std::vector<std::vector<uint8_t>> halved_;  // the caller's, then one a worker
  WorkerPool pool_;
};

class ReferenceEngine : public CpuEngine {
 public:
  ReferenceEngine(const Weights& weights, std::string label, int threads)
      : CpuEngine(std::move(label), threads, /*few=*/0, weights.network().input_size,
                  weights.network().descriptor_size),
        net_(weights, weights.network()),
        metric_(make_learned_metric(weights)) {}
  void refold(const Weights& weights) override {
    net_ = ReferenceNet(weights, net_.network());
    metric_ = make_learned_metric(weights);
  }
  const PairMetric* metric() const override { return metric_.get(); }

 private:
  void run(const uint8_t* patches, int64_t count, float* out, int) override {
    const int64_t area = int64_t{net_.network().input_size} * net_.network().input_size;
    for (int64_t i = 0; i < count; ++i) net_.describe(patches + i * area, out + i * dimension());
  }

  ReferenceNet net_;
  std::unique_ptr<PairMetric> metric_;
};

class OnednnEngine : public CpuEngine {
 public:
  OnednnEngine(const Weights& weights, std::string label, int threads, Arithmetic arithmetic, bool small_calls)
      : CpuEngine(std::move(label), threads, small_calls ? kFew : 0), int8_(arithmetic == Arithmetic::kInt8) {
    batches_ = std::make_unique<OnednnNet>(l2net(), arithmetic, kBatch, /*threads=*/1);
    for (int i = 0; i < threads; ++i) workspaces_.push_back(batches_->make_workspace());
    if (small_calls) {
      singles_ = std::make_unique<OnednnNet>(l2net(), arithmetic, 1, std::min(threads, kMostForOne));
      single_ = singles_->make_workspace();
    }
    refold(weights);
  }
  void refold(const Weights& weights) override {
    const std::vector<FoldedLayer> layers = fold_batch_norm(weights, l2net());
    const Calibration calibration = int8_ ? calibration_of(weights, l2net()) : assumed_calibration(l2net());
    batches_->refold(layers, calibration);
    if (singles_) singles_->refold(layers, calibration);
  }

 private:
  static constexpr int kMostForOne = 4;  // threads worth waking for a patch

  void run(const uint8_t* patches, int64_t count, float* out, int worker) override {
    if (worker != kCaller) return batches_->describe(patches, count, out, *workspaces_[static_cast<size_t>(worker)]);
    for (int64_t i = 0; i < count; ++i)
      singles_->describe(patches + i * kPatchArea, 1, out + i * kDescriptorSize, *single_);
  }

  bool int8_;
  std::unique_ptr<CpuNet> batches_, singles_;                   // singles_ may be missing
  std::vector<std::unique_ptr<CpuNet::Workspace>> workspaces_;  // of batches_, one a worker
  std::unique_ptr<CpuNet::Workspace> single_;
};

class SimdEngine : public CpuEngine {
 public:
  SimdEngine(const Weights& weights, std::string label, int threads, bool int8)
      : CpuEngine(std::move(label), threads, /*few=*/1), int8_(int8), threads_(threads) {
    refold(weights);
  }
  void refold(const Weights& weights) override {
    const std::vector<FoldedLayer> layers = fold_batch_norm(weights, l2net());
    if (int8_) {
      prepare(Arithmetic::kInt8);
      const std::string beyond = net_->refold(layers, calibration_of(weights, l2net()));
      if (beyond.empty()) return;
      log_warning("[engine] {}: {} is beyond what int8 can hold; fp32 takes its place", name(), beyond);
    }
    prepare(Arithmetic::kFp32);
    net_->refold(layers, assumed_calibration(l2net()));
  }

 private:
  void prepare(Arithmetic arithmetic) {
    if (net_ && arithmetic_ == arithmetic) return;
    arithmetic_ = arithmetic;
    net_ = std::make_unique<SimdNet>(l2net(), arithmetic);
    workspaces_.clear();
    for (int i = 0; i < threads_ + 1; ++i) workspaces_.push_back(net_->make_workspace());
  }
  void run(const uint8_t* patches, int64_t count, float* out, int worker) override {
    net_->describe(patches, count, out, *workspaces_[static_cast<size_t>(worker + 1)]);
  }

  bool int8_;
  int threads_;
  Arithmetic arithmetic_ = Arithmetic::kFp32;
  std::unique_ptr<CpuNet> net_;
  std::vector<std::unique_ptr<CpuNet::Workspace>> workspaces_;  // the caller's, then one a worker
};

}  // namespace

std::unique_ptr<Engine> make_reference_engine(const Weights& weights, std::string label, int threads) {
  return std::make_unique<ReferenceEngine>(weights, std::move(label), threads);
}

std::unique_ptr<Engine> make_onednn_engine(const Weights& weights, std::string label, int threads, bool int8,
                                           bool small_calls) {
  return std::make_unique<OnednnEngine>(weights, std::move(label), threads,
                                        int8 ? Arithmetic::kInt8 : Arithmetic::kFp32, small_calls);
}

std::unique_ptr<Engine> make_simd_engine(const Weights& weights, std::string label, int threads, bool int8) {
  return std::make_unique<SimdEngine>(weights, std::move(label), threads, int8);
}

}  // namespace adasample
