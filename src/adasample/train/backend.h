// SPDX-License-Identifier: Apache-2.0
// The heavy parts of an iteration, done a device's own way: the trainer's loop reads the same for all of them.
//   torch   LibTorch's operators, on any device and for any network; on a CPU engines embed the candidates of l2net,
//   and
//           CpuTrainingNet learns it
//   gpu     own kernels and cuDNN, an iteration as one CUDA graph (ADASAMPLE_CUDA); l2net alone
#pragma once

#include <torch/torch.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "adasample/loss/loss.h"
#include "adasample/net/net.h"
#include "adasample/sampler/sampler.h"
#include "adasample/train/batch_loader.h"
#include "adasample/train/distributed/batch_share.h"
#include "adasample/train/optimiser/optimiser.h"
#include "adasample/train/options.h"

namespace adasample {

// The two forms that an iteration takes: negatives at a quantile while warming up, then the closest. A run goes from
// one to the other once.
enum class Stage { kWarmup, kMain };

class Backend {
 public:
  virtual ~Backend() = default;

  // What the host does for iteration t before it. Everything below knows t by the tensor `iteration` alone.
  virtual void prepare(int64_t t) = 0;

  // 1. The batch, on the device; where several ranks share it, this one's slots. So are all tensors below.
  virtual Batch load() = 0;
  // 2. (m, S, S) bytes -> (m, D): the present weights, evaluation mode, no gradient.
  virtual at::Tensor embed(const at::Tensor& patches) = 0;
  // The same for all candidates, (n, k, D); a slot past its class's count has the descriptor of the first.
  virtual at::Tensor embed_candidates(const Batch& batch) {
    return embed(batch.patches.flatten(0, 1)).view({batch.patches.size(0), batch.patches.size(1), -1});
  }
  // 3.
  virtual PairDraw draw(const SamplerInput& input) = 0;
  // 4. The drawn patches of (n, k, S, S) -> (members n, D), anchors first, then positives, then others: training mode,
  // with gradient. `activations`: null, or where to put them.
  virtual at::Tensor forward(const at::Tensor& patches, const PairDraw& draw, Activations* activations) = 0;
  // 5. Steps along the gradients, those of all ranks added up, and takes over the batch's statistics: both, or, where a
  // new weight is not finite, neither. () bool: whether.
  virtual at::Tensor step(const at::Tensor& learning_rate) = 0;

  // Runs `iteration`, the device's part of one: as it is, or recorded once for each stage and replayed. Tensors that
  // it made stay where they are until the next call.
  virtual void run(Stage stage, const std::function<void()>& iteration) = 0;
  // A copy of the tensor for the host, under way; the function waits for it, and for nothing later.
  virtual std::function<at::Tensor()> fetch(const at::Tensor& tensor) = 0;
  // Whether the host's clock sees when a part of an iteration is done.
  virtual bool synchronous() const = 0;
};

// What a backend works on; owned by the trainer.
struct BackendParts {
  const TrainOptions& options;
  const std::vector<const PatchStore*>& data;
  NetImpl& net;
  Optimiser& optimiser;
  const Sampler& sampler;
  const Loss& loss;
  const at::Tensor& iteration;        // () int64 on the device
  const BatchShare* share = nullptr;  // null: all of every batch
  bool alone() const { return share == nullptr || share->ranks().alone(); }
};

// Why own kernels cannot learn with these parts, "they learn l2net only"; empty: they can.
std::string own_kernels_obstacle(const TrainOptions& options, const Sampler& sampler, const Loss& loss);
inline std::string own_kernels_obstacle(const BackendParts& parts) {
  return own_kernels_obstacle(parts.options, parts.sampler, parts.loss);
}

std::unique_ptr<Backend> make_torch_backend(const BackendParts& parts);
std::unique_ptr<Backend> make_gpu_backend(const BackendParts& parts);
// The device's and the build's own.
std::unique_ptr<Backend> make_backend(const BackendParts& parts);

// LibTorch's own switches for the options' precision and determinism. They are the process's.
void set_arithmetic(const TrainOptions& options);

// What a run with these options needs of the GPU's memory, and where.
struct GpuMemory {
  int64_t patches = 0;    // the stores, where they are kept there
  int64_t memory = 0;     // what --refresh remembers of them, wherever they are
  int64_t embedding = 0;  // activations of the sampling pass
  int64_t training = 0;   // activations and their gradients, of the pairs
  int64_t mining = 0;
  int64_t around = 0;  // what no tensor holds
  int64_t total() const { return patches + memory + embedding + training + mining + around; }
  std::string text() const;  // "2.1 GiB: ..."
};
// resident: patches kept there, of `stored` in all.
GpuMemory gpu_memory(const TrainOptions& options, int64_t resident, int64_t stored);

}  // namespace adasample
