// SPDX-License-Identifier: Apache-2.0
// The sampling pass: what embeds the candidates with the present weights, in evaluation mode and without gradient.
#pragma once

#include <torch/torch.h>

#include <memory>

#include "adasample/net/net.h"
#include "adasample/train/batch_loader.h"
#include "adasample/train/options.h"

namespace adasample {

class Embedding {
 public:
  virtual ~Embedding() = default;
  // (m, S, S) bytes -> (m, D).
  virtual at::Tensor embed(const NetImpl& net, const at::Tensor& patches) = 0;
};

// The candidates of a batch: (n, k, D). On a CPU empty slots are left out; they show the first of their class, which is
// the patch that they repeat.
at::Tensor embed_occupied(Embedding& embedding, const NetImpl& net, const Batch& batch);

// By the options' sampling engine, or LibTorch where that is asked for or nothing better was built.
std::unique_ptr<Embedding> make_embedding(const TrainOptions& options, const NetImpl& net);

}  // namespace adasample
