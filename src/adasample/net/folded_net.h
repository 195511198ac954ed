// SPDX-License-Identifier: Apache-2.0
// The network as it is used for describing: evaluation mode, no gradient, and where it has a plain form, batch norm
// folded into the convolutions. AdaSample embeds n*k patches this way in every iteration (Algorithm 1, line 2);
// refolding costs a few milliseconds.
#pragma once

#include <torch/torch.h>

#include <optional>
#include <vector>

#include "adasample/net/net.h"

namespace adasample {

class FoldedNet {
 public:
  // type: of the convolutions, the net's own where it is not given; sums of squares and descriptors are the net's.
  explicit FoldedNet(const NetImpl& net, std::optional<at::ScalarType> type = std::nullopt) : type_(type) {
    refold(net);
  }

  // Takes over the net's present weights and running statistics: w <- w / s, b <- -mean / s, s = sqrt(var + eps). A
  // network without plain form is asked itself, and must stay.
  void refold(const NetImpl& net);

  // patches: (m, S, S) on the net's device -> (m, D) unit descriptors. Works in chunks; m may be anything.
  at::Tensor embed(const at::Tensor& patches) const;

  static constexpr int64_t kGpuChunk = 4096;

 private:
  at::Tensor embed_chunk(const at::Tensor& patches) const;

  std::optional<at::ScalarType> type_;
  const NetImpl* net_ = nullptr;
  std::vector<at::Tensor> weights_, biases_;
  at::TensorOptions options_;  // of the descriptors
};

}  // namespace adasample
