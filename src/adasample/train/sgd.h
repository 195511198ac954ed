// SPDX-License-Identifier: Apache-2.0
// Stochastic gradient descent with momentum, dampening and weight decay, PyTorch's arithmetic:
//   g <- grad + weight_decay * w;  buffer <- momentum * buffer + (1 - dampening) * g (the first time: g);  w <- w - lr
//   * buffer
// Ours because the learning rate is a tensor on the device (a CUDA graph would bake a host number in), and because a
// step with a gradient that is not finite leaves weights and buffers untouched.
#pragma once

#include <torch/torch.h>

#include <vector>

namespace adasample {

struct SgdOptions {
  double momentum = 0.5;
  double dampening = 0;
  double weight_decay = 1e-4;
};

class Sgd {
 public:
  Sgd(std::vector<at::Tensor> parameters, SgdOptions options);

  // Steps along the parameters' gradients and clears them. learning_rate: (). Returns () bool: whether the step was
  // taken.
  at::Tensor step(const at::Tensor& learning_rate);

  // Momentum, one a parameter, and whether a step has been taken (() bool): all there is to save and restore.
  const std::vector<at::Tensor>& buffers() const { return buffers_; }
  const at::Tensor& taken() const { return taken_; }
  const SgdOptions& options() const { return options_; }

 private:
  std::vector<at::Tensor> parameters_, buffers_;
  SgdOptions options_;
  at::Tensor taken_;  // () bool: a step has been taken
};

}  // namespace adasample
