// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "adasample/base/log.h"
#include "adasample/base/random/rng.h"
#include "adasample/engine/calibrate.h"
#include "adasample/engine/engine.h"
#include "adasample/net/folded_net.h"
#include "adasample/train/backend.h"

namespace adasample {
namespace {

// The patches chosen by slot (n) from (n, k, S, S): (n, S, S).
at::Tensor pick(const at::Tensor& patches, const at::Tensor& slot) {
  const int64_t n = patches.size(0), k = patches.size(1);
  return patches.flatten(0, 1).index_select(0, at::arange(n, slot.options()) * k + slot);
}

// The sampling pass: what embeds the candidates with the present weights.
class Embedding {
 public:
  virtual ~Embedding() = default;
  virtual at::Tensor embed(const L2NetImpl& net, const at::Tensor& patches) = 0;
};

class TorchEmbedding : public Embedding {
 public:
  explicit TorchEmbedding(const L2NetImpl& net) : folded_(net) {}
  at::Tensor embed(const L2NetImpl& net, const at::Tensor& patches) override {
    folded_.refold(net);
    return folded_.embed(patches);
  }

 private:
  FoldedNet folded_;
};

class EngineEmbedding : public Embedding {
 public:
  EngineEmbedding(const std::string& engine, const L2NetImpl& net)
      : engine_(make_engine(engine, weights_of(net), engine, {.threads = 0, .small_calls = false})) {
    if (engine.ends_with("-int8")) calibrator_.emplace();
  }
  at::Tensor embed(const L2NetImpl& net, const at::Tensor& patches) override {
    const at::Tensor bytes = patches.contiguous();
    const int64_t count = bytes.size(0), few = std::min(count, Calibrator::kBatch);
    Weights weights = weights_of(net);
    if (calibrator_) {  // activations change while the network learns
      const std::span<const uint8_t> first(bytes.data_ptr<uint8_t>(), static_cast<size_t>(few * bytes[0].numel()));
      set_calibration(weights, calibrator_->measure(weights, first, few, static_cast<int>(bytes.size(2))));
    }
    engine_->refold(weights);
    at::Tensor descriptors = at::empty({count, engine_->dimension()});
    engine_->describe({bytes.data_ptr<uint8_t>(), static_cast<size_t>(bytes.numel())}, count,
                      static_cast<int>(bytes.size(2)),
                      {descriptors.data_ptr<float>(), static_cast<size_t>(descriptors.numel())});
    return descriptors;
  }

 private:
  std::unique_ptr<Engine> engine_;
  std::optional<Calibrator> calibrator_;  // for int8
};

std::unique_ptr<Embedding> make_embedding(const TrainOptions& options, const L2NetImpl& net) {
  if (options.device != "cpu" || options.sampling_engine == "torch") return std::make_unique<TorchEmbedding>(net);
  const AvailableEngine engine = engine_here(options.sampling_engine);
  if (engine.name == "reference") {  // much slower than LibTorch
    log_warning("[train] --sampling-engine {}: this program has no faster engine; LibTorch takes its place",
                options.sampling_engine);
    return std::make_unique<TorchEmbedding>(net);
  }
  if (!engine.note.empty()) log_warning("[train] {}", engine.note);
  return std::make_unique<EngineEmbedding>(engine.name, net);
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
  }

  void prepare(int64_t t) override {
    // Dropout is the one draw that Torch makes; reseeded here, it too is a function of (seed, iteration).
    torch::manual_seed(RngKey(options_.seed, Draw::kDropout).at(static_cast<uint64_t>(t)).bits());
    batch_ = loader_.load(t);
  }

  Batch load() override { return {batch_.patches.to(device_), batch_.counts.to(device_), batch_.classes.to(device_)}; }

  at::Tensor embed(const at::Tensor& patches) override { return embedding_->embed(net_, patches); }

  PairDraw draw(const SamplerInput& input) override { return sampler_.draw(input); }

  at::Tensor forward(const at::Tensor& patches, const PairDraw& draw) override {
    net_.train();
    before_.clear();
    for (const at::Tensor& buffer : net_.buffers()) before_.push_back(buffer.clone());
    const at::Tensor anchors = pick(patches, draw.anchor), positives = pick(patches, draw.positive);  // (n, S, S)
    return options_.separate_batch_norm ? at::cat({net_.forward(anchors), net_.forward(positives)})
                                        : net_.forward(at::cat({anchors, positives}));
  }

  at::Tensor step(const at::Tensor& learning_rate) override {
    const at::Tensor stepped = sgd_.step(learning_rate);
    torch::NoGradGuard no_grad;
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
