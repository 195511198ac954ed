// SPDX-License-Identifier: Apache-2.0
// L2-Net in training mode on a CPU by own kernels (train/pass), one node of the autograd graph: GpuNet's counterpart.
// Memory is asked for in the first iteration and kept.
#pragma once

#include <torch/torch.h>

#include <memory>
#include <vector>

#include "adasample/net/net.h"
#include "adasample/train/distributed/batch_share.h"
#include "adasample/train/pass/net_pass.h"

namespace adasample {

class CpuTrainingNet {
 public:
  // The module's own dropout is not asked: its rate is given here.
  CpuTrainingNet(NetImpl& net, double dropout, pass::Machine machine, int threads);

  // Which part of a batch the passes are over. Gradients that backward() gives are then the whole batch's, on every
  // rank: each layer's are added up while those before it are computed.
  struct Part {
    const BatchShare* share = nullptr;  // null: all of it
    bool synchronised = true;           // statistics are the whole batch's
    int64_t patches = 0;                // of the whole batch in a pass
    std::vector<int64_t> rows = {};     // numbers of this part's patches in it, shard by shard
  };

  // patches: (m, S, S) -> (m, D) unit descriptors with gradient. May be called several times before `end`; each pass
  // has its own statistics, and its own mask of dropout, the one that the module would draw. `part` must stay until
  // the gradients are made.
  at::Tensor forward(const at::Tensor& patches) { return forward(patches, whole_); }
  at::Tensor forward(const at::Tensor& patches, const Part& part);

  // Takes the statistics of the passes over into the running ones where `taken` (() bool), and forgets the passes.
  void end(const at::Tensor& taken);

  // For the autograd node.
  at::Tensor run(const at::Tensor& images, const Part& part);                         // -> (m, D), not normalised
  std::vector<at::Tensor> gradients(size_t pass, const at::Tensor& output_gradient);  // of the weights
  size_t passes() const { return passes_; }

 private:
  struct Layer {
    at::Tensor weight;                   // the module's own, channels last
    at::Tensor mean, variance, batches;  // running, likewise
  };
  struct Pass {
    std::unique_ptr<NetPass> net;
    at::Tensor dropout;  // (m, 128, 8, 8) factors, channels last
    const Part* part = nullptr;
    std::vector<at::Tensor> gradients = {};  // of a layer's weights, a row a shard: being added up
  };

  const LayerTable* table_;
  const Part whole_ = {};
  double dropout_;
  pass::Machine machine_;
  int threads_;
  std::vector<Layer> layers_;
  std::vector<Pass> memory_;  // of passes before too
  size_t passes_ = 0;         // of this iteration
};

}  // namespace adasample
