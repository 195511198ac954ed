// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <vector>

#include "adasample/base/parallel.h"
#include "adasample/base/random/rng.h"
#include "adasample/train/backend.h"
#include "adasample/train/cpu_net.h"
#include "adasample/train/embedding.h"

namespace adasample {
namespace {

// The patches chosen by slot (n) from (n, k, S, S): (n, S, S).
at::Tensor pick(const at::Tensor& patches, const at::Tensor& slot) {
  const int64_t n = patches.size(0), k = patches.size(1);
  return patches.flatten(0, 1).index_select(0, at::arange(n, slot.options()) * k + slot);
}

class TorchBackend : public Backend {
 public:
  explicit TorchBackend(const BackendParts& parts)
      : options_(parts.options),
        device_(parts.options.device),
        loader_(parts.data, loader_options(parts.options)),
        net_(parts.net),
        embedding_(make_embedding(parts.options, parts.net)),
        sgd_(parts.sgd),
        sampler_(parts.sampler) {
    set_arithmetic(options_);
    if (options_.device == "cpu" && options_.training_engine == "simd") {
      cpu_net_.emplace(net_, options_.dropout, pass::machine_here(), thread_count());
    }
  }

  void prepare(int64_t t) override {
    // Dropout is the one draw that Torch makes; reseeded here, it too is a function of (seed, iteration).
    torch::manual_seed(RngKey(options_.seed, Draw::kDropout).at(static_cast<uint64_t>(t)).bits());
    batch_ = loader_.load(t);
  }

  Batch load() override {
    const auto there = [&](const at::Tensor& x) { return x.defined() ? x.to(device_) : x; };
    return {there(batch_.patches), there(batch_.counts), there(batch_.classes), there(batch_.levels),
            there(batch_.members)};
  }

  at::Tensor embed(const at::Tensor& patches) override { return embedding_->embed(net_, patches); }

  at::Tensor embed_candidates(const Batch& batch) override { return embed_occupied(*embedding_, net_, batch); }

  PairDraw draw(const SamplerInput& input) override { return sampler_.draw(input); }

  at::Tensor forward(const at::Tensor& patches, const PairDraw& draw) override {
    net_.train();
    before_.clear();
    for (const at::Tensor& buffer : net_.buffers()) before_.push_back(buffer.clone());
    const auto pass = [&](const at::Tensor& x) { return cpu_net_ ? cpu_net_->forward(x) : net_.forward(x); };
    const at::Tensor anchors = pick(patches, draw.anchor), positives = pick(patches, draw.positive);  // (n, S, S)
    return options_.separate_batch_norm ? at::cat({pass(anchors), pass(positives)})
                                        : pass(at::cat({anchors, positives}));
  }

  at::Tensor step(const at::Tensor& learning_rate) override {
    const at::Tensor stepped = sgd_.step(learning_rate);
    torch::NoGradGuard no_grad;
    if (cpu_net_) {
      cpu_net_->end(stepped);
      return stepped;
    }
    const std::vector<at::Tensor> statistics = net_.buffers();
    for (size_t i = 0; i < statistics.size(); ++i) statistics[i].copy_(at::where(stepped, statistics[i], before_[i]));
    return stepped;
  }

  void run(Stage, const std::function<void()>& iteration) override { iteration(); }
  std::function<at::Tensor()> fetch(const at::Tensor& tensor) override {
    return [host = tensor.cpu()] { return host; };
  }
  bool synchronous() const override { return device_.is_cpu(); }

 private:
  const TrainOptions& options_;
  at::Device device_;
  BatchLoader loader_;
  L2NetImpl& net_;
  std::unique_ptr<Embedding> embedding_;
  Sgd& sgd_;
  const Sampler& sampler_;
  std::optional<CpuNet> cpu_net_;  // where own kernels train
  Batch batch_;
  std::vector<at::Tensor> before_;  // running statistics, which the forward pass has changed already
};

}  // namespace

void set_arithmetic(const TrainOptions& options) {
  at::Context& torch = at::globalContext();
  torch.setAllowTF32CuBLAS(false);  // similarities and distances are fp32
  torch.setAllowTF32CuDNN(options.precision == "tf32");
  torch.setBenchmarkCuDNN(options.device == "cuda" && !options.deterministic);
  torch.setDeterministicCuDNN(options.deterministic);
  // Sums over equal indices in a fixed order. What has no such way is only warned of: cumsum over a row of k numbers.
  torch.setDeterministicAlgorithms(options.deterministic, /*warn_only=*/true);
}

std::unique_ptr<Backend> make_torch_backend(const BackendParts& parts) { return std::make_unique<TorchBackend>(parts); }

}  // namespace adasample
