// SPDX-License-Identifier: Apache-2.0
// Stochastic gradient descent with momentum, dampening and weight decay, PyTorch's arithmetic:
//   g <- grad + weight_decay * w;  buffer <- momentum * buffer + (1 - dampening) * g (the first time: g);  w <- w - lr
//   * buffer
#pragma once

#include "adasample/train/optimiser/optimiser.h"

namespace adasample {

struct SgdOptions {
  double momentum = 0.5;
  double dampening = 0;
  double weight_decay = 1e-4;
};

class Sgd : public Optimiser {
 public:
  Sgd(std::vector<at::Tensor> parameters, SgdOptions options);

  at::Tensor step(const at::Tensor& learning_rate) override;
  // "momentum.NAME" of each parameter, "taken".
  std::map<std::string, at::Tensor> state(const std::vector<std::string>& parameters) const override;

  // Momentum, one a parameter, and whether a step has been taken (() bool).
  const std::vector<at::Tensor>& buffers() const { return buffers_; }
  const at::Tensor& taken() const { return taken_; }
  const SgdOptions& options() const { return options_; }

 private:
  std::vector<at::Tensor> parameters_, buffers_;
  SgdOptions options_;
  at::Tensor taken_;  // () bool: a step has been taken
};

}  // namespace adasample
