// SPDX-License-Identifier: Apache-2.0
// What turns gradients into a step: sgd.h or adam.h. Ours because the learning rate is a tensor on the device (a CUDA
// graph would bake a host number in), and because a step with a gradient that is not finite leaves weights and state
// untouched.
#pragma once

#include <torch/torch.h>

#include <map>
#include <string>
#include <vector>

namespace adasample {

class Optimiser {
 public:
  virtual ~Optimiser() = default;

  // Steps along the parameters' gradients and clears them. learning_rate: (). Returns () bool: whether the step was
  // taken.
  virtual at::Tensor step(const at::Tensor& learning_rate) = 0;

  // All there is to save and restore in place, by name; `parameters`: theirs, in their order.
  virtual std::map<std::string, at::Tensor> state(const std::vector<std::string>& parameters) const = 0;
};

}  // namespace adasample
