// SPDX-License-Identifier: Apache-2.0
// Dropout whose mask is hashed from one number of Torch's generator. Torch's own takes every number from it in turn, on
// one core: a twentieth of a training pass.
#pragma once

#include <torch/torch.h>

#include <vector>

namespace adasample {

class DropoutImpl : public torch::nn::Module {
 public:
  explicit DropoutImpl(double p) : p_(p) {}
  // rows: see dropout_mask.
  at::Tensor forward(const at::Tensor& x, const std::vector<int64_t>& rows = {});

 private:
  double p_;
};
TORCH_MODULE(Dropout);

// The next number of Torch's generator: names a mask.
uint64_t dropout_key();

// 0 with probability p, else 1 / (1 - p): float, of x's shape and strides, which must be dense. p is rounded to 2^-16.
// rows: numbers of x's rows in the batch whose mask is named by `key`, where x is only a part of it; empty: 0, 1, ..
at::Tensor dropout_mask(const at::Tensor& x, double p, uint64_t key, const std::vector<int64_t>& rows = {});

}  // namespace adasample
