// SPDX-License-Identifier: Apache-2.0
// L2-Net in training mode on a GPU: cuDNN's convolutions, own kernels for everything between them, one node of the
// autograd graph. Activations are bf16, fp16 or fp32, channels last; weights, statistics and what leaves the network
// are fp32.
#pragma once

#include <torch/torch.h>

#include <deque>
#include <vector>

#include "adasample/gpu/batch_norm.h"
#include "adasample/net/net.h"

namespace adasample {

struct GpuNetOptions {
  at::ScalarType type = at::kBFloat16;
  double dropout = 0;
  uint64_t seed = 0;
};

class GpuNet {
 public:
  // iteration: () int64 on the device, part of dropout's key.
  GpuNet(NetImpl& net, const GpuNetOptions& options, const at::Tensor& iteration);

  // patches: (m, S, S), normalised, of the options' type -> (m, D) unit descriptors with gradient. May be called
  // several times before `end`; each pass has its own statistics.
  at::Tensor forward(const at::Tensor& patches);

  // Takes the statistics of the passes over into the running ones where `taken` (() bool), and forgets the passes.
  void end(const at::Tensor& taken);

  // For the autograd node.
  at::Tensor run(const at::Tensor& patches);                                                // -> (m, D), not normalised
  std::vector<at::Tensor> gradients(size_t pass, const at::Tensor& output_gradient) const;  // of the weights
  size_t passes() const { return passes_.size(); }

 private:
  struct Layer {
    ConvLayer shape;
    at::Tensor weight;                   // fp32, the module's own
    at::Tensor mean, variance, batches;  // running, likewise
  };
  struct Pass {
    std::vector<at::Tensor> weights;     // of the options' type
    std::vector<at::Tensor> inputs;      // of each layer
    std::vector<at::Tensor> sums;        // of each convolution, before batch norm
    std::vector<at::Tensor> statistics;  // (3, channels) each: mean, 1 / std, variance
  };
  gpu::Statistics statistics_at(const at::Tensor& statistics) const;
  void drop(size_t pass, at::Tensor& x) const;

  const LayerTable* table_;
  GpuNetOptions options_;
  at::Tensor iteration_;
  std::vector<Layer> layers_;
  at::Tensor scratch_;
  std::deque<Pass> passes_;
};

}  // namespace adasample
