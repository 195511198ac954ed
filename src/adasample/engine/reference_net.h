// SPDX-License-Identifier: Apache-2.0
// Any network (model/network.h) in plain loops with sums in double: slow, and what every other way of running one is
// compared with. Nothing is folded: each layer does what the table says.
#pragma once

#include <cstdint>
#include <vector>

#include "adasample/model/network.h"
#include "adasample/model/weights.h"

namespace adasample {

class ReferenceNet {
 public:
  // Throws Error for weights of another network.
  ReferenceNet(const Weights& weights, const Network& network);

  const Network& network() const { return *network_; }

  // One patch of bytes -> one descriptor.
  void describe(const uint8_t* patch, float* descriptor) const;

 private:
  // A layer's arrays, in the order of Network::arrays(); empty where one may be missing and is.
  struct Step {
    const NetLayer* layer;
    PlaneShape before, after;
    std::vector<std::vector<float>> arrays;
  };
  std::vector<double> input_of(const Tower& tower, const uint8_t* patch) const;

  const Network* network_;
  std::vector<std::vector<Step>> towers_;
};

}  // namespace adasample
