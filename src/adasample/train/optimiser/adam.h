// SPDX-License-Identifier: Apache-2.0
// Adam, Kingma, Ba, ICLR 2015, PyTorch's arithmetic, with which SOSNet and HyNet were trained; t counts from 1:
//   g <- grad + weight_decay * w;  m <- 0.9 m + 0.1 g;  v <- 0.999 v + 0.001 g^2
//   w <- w - lr * m / (1 - 0.9^t) / ( sqrt(v / (1 - 0.999^t)) + 1e-8 )
#pragma once

#include "adasample/train/optimiser/optimiser.h"

namespace adasample {

class Adam : public Optimiser {
 public:
  Adam(std::vector<at::Tensor> parameters, double weight_decay);

  at::Tensor step(const at::Tensor& learning_rate) override;
  // "first.NAME", "second.NAME" of each parameter, "steps".
  std::map<std::string, at::Tensor> state(const std::vector<std::string>& parameters) const override;

 private:
  std::vector<at::Tensor> parameters_, first_, second_;
  double weight_decay_;
  at::Tensor steps_;  // () double: t, steps that were taken
};

}  // namespace adasample
