// SPDX-License-Identifier: Apache-2.0
#include "adasample/train/embedding.h"

#include <vector>

#include "adasample/base/log.h"
#include "adasample/engine/engine.h"
#include "adasample/net/folded_net.h"

namespace adasample {
namespace {

class TorchEmbedding : public Embedding {
 public:
  explicit TorchEmbedding(const NetImpl& net) : folded_(net) {}
  at::Tensor embed(const NetImpl& net, const at::Tensor& patches) override {
    folded_.refold(net);
    return folded_.embed(patches);
  }

 private:
  FoldedNet folded_;
};

class EngineEmbedding : public Embedding {
 public:
  EngineEmbedding(const std::string& engine, const NetImpl& net)
      : engine_(make_engine(engine, weights_of(net), engine, {.threads = 0, .small_calls = false})) {}
  at::Tensor embed(const NetImpl& net, const at::Tensor& patches) override {
    const at::Tensor bytes = patches.contiguous();
    const int64_t count = bytes.size(0);
    // For int8 with assumed ranges: batch norm keeps activations where they are, and the draws are as like fp32's as
    // with measured ones (bench/README.md).
    engine_->refold(weights_of(net));
    at::Tensor descriptors = at::empty({count, engine_->dimension()});
    engine_->describe({bytes.data_ptr<uint8_t>(), static_cast<size_t>(bytes.numel())}, count,
                      static_cast<int>(bytes.size(2)),
                      {descriptors.data_ptr<float>(), static_cast<size_t>(descriptors.numel())});
    return descriptors;
  }

 private:
  std::unique_ptr<Engine> engine_;
};

}  // namespace

at::Tensor embed_occupied(Embedding& embedding, const NetImpl& net, const Batch& batch) {
  const int64_t n = batch.patches.size(0), k = batch.patches.size(1);
  const at::Tensor all = batch.patches.flatten(0, 1);
  // Shapes that change would cost a GPU more than the slots do.
  if (!all.is_cpu() || batch.counts.min().item<int64_t>() == k) return embedding.embed(net, all).view({n, k, -1});
  std::vector<int64_t> kept, shown;  // slot i of n k shows what became of kept[shown[i]]
  for (int64_t i = 0; i < n; ++i) {
    const int64_t count = batch.counts.data_ptr<int64_t>()[i], first = static_cast<int64_t>(kept.size());
    for (int64_t slot = 0; slot < k; ++slot) {
      if (slot < count) kept.push_back(i * k + slot);
      shown.push_back(slot < count ? first + slot : first);
    }
  }
  const at::Tensor x = embedding.embed(net, all.index_select(0, torch::tensor(kept, at::kLong)));
  return x.index_select(0, torch::tensor(shown, at::kLong)).view({n, k, -1});
}

std::unique_ptr<Embedding> make_embedding(const TrainOptions& options, const NetImpl& net) {
  if (options.device != "cpu" || options.sampling_engine == "torch") return std::make_unique<TorchEmbedding>(net);
  if (options.network != l2net().name) {
    log_info("[train] --sampling-engine {}: engines embed l2net only; LibTorch embeds {}", options.sampling_engine,
             options.network);
    return std::make_unique<TorchEmbedding>(net);
  }
  const AvailableEngine engine = engine_here(options.sampling_engine);
  if (engine.name == "reference") {  // much slower than LibTorch
    log_warning("[train] --sampling-engine {}: this program has no faster engine; LibTorch takes its place",
                options.sampling_engine);
    return std::make_unique<TorchEmbedding>(net);
  }
  if (!engine.note.empty()) log_warning("[train] {}", engine.note);
  return std::make_unique<EngineEmbedding>(engine.name, net);
}

}  // namespace adasample
