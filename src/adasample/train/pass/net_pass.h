// SPDX-License-Identifier: Apache-2.0
// L2-Net in training mode on a CPU, forward with batch statistics and backward, without LibTorch. Convolutions by
// Winograd (convolution.h); batch norm and ReLU while numbers are read. What is stored of a layer is its sums, and for
// the first nothing. Patches are shared out among the parts in a fixed way, and what parts have summed is added in
// their order: the same bits for the same machine and number of parts.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "adasample/model/layer_table.h"
#include "adasample/train/pass/kernels.h"

namespace adasample {

class NetPass {
 public:
  static constexpr size_t kLayers = 7;

  // Whether the table is the network that is built in here.
  static bool serves(const LayerTable& table);

  // parts: of the work, done by as many of the process's threads.
  NetPass(const LayerTable& table, pass::Machine machine, int parts);
  ~NetPass();

  struct Network {
    std::array<const float*, kLayers> weights = {};   // (out, ky, kx, in)
    std::array<const float*, kLayers> expected = {};  // about the mean of each channel: the running mean
  };
  // images: (m, 32, 32), normalised. dropout: (m, 8, 8, 128) factors for the last layer's input, or null; it must stay
  // until backward(). descriptors: (m, 128), not normalised.
  void forward(const float* images, int64_t m, const Network& network, const float* dropout, float* descriptors);

  // Of the last forward(), by channel; the variance is that of the batch itself (divided by its size).
  struct Statistics {
    std::vector<double> mean = {}, variance = {};
    int64_t count = 0;  // numbers in a channel
  };
  const std::array<Statistics, kLayers>& statistics() const;

  // Gradient of the descriptors (m, 128) of the last forward() -> gradients of the weights, laid out like them.
  void backward(const float* gradient, const std::array<float*, kLayers>& weight_gradients);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace adasample
