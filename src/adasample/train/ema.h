// SPDX-License-Identifier: Apache-2.0
// Exponential moving average of the weights and running statistics: average <- decay * average + (1 - decay) * now,
// with the start's bias divided out, so that a short run is averaged properly too. Decay 0 switches it off.
#pragma once

#include <torch/torch.h>

#include <vector>

#include "adasample/net/net.h"

namespace adasample {

class WeightAverage {
 public:
  WeightAverage(const NetImpl& net, double decay);
  bool enabled() const { return decay_ > 0; }
  bool started() const { return mass_ > 0; }
  // The device's part of an update, and the host's.
  void add(const NetImpl& net);
  void count();
  Weights weights() const;

  // To save and restore: sums in the order of the network's parameters, then buffers, and their mass.
  const std::vector<at::Tensor>& sums() const { return average_; }
  double mass() const { return mass_; }
  void set_mass(double mass) { mass_ = mass; }

 private:
  double decay_;
  double mass_ = 0;                  // 1 - decay^updates
  Net shape_{nullptr};               // names and shapes for weights()
  std::vector<at::Tensor> average_;  // parameters, then buffers, not yet divided by the mass
};

}  // namespace adasample
