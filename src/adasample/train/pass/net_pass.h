// SPDX-License-Identifier: Apache-2.0
// L2-Net in training mode on a CPU, forward with batch statistics and backward, without LibTorch. Convolutions by
// Winograd (convolution.h); batch norm and ReLU while numbers are read. What is stored of a layer is its sums, and for
// the first nothing. Patches are shared out among the parts in a fixed way, and what parts have summed is added in
// their order: the same bits for the same machine and number of parts.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
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
  // together: null for a batch that is all here.
  struct Together;
  void forward(const float* images, int64_t m, const Network& network, const float* dropout, float* descriptors,
               const Together* together = nullptr);

  // Of the last forward(), by channel; the variance is that of the batch itself (divided by its size).
  struct Statistics {
    std::vector<double> mean = {}, variance = {};
    int64_t count = 0;  // numbers in a channel
  };
  const std::array<Statistics, kLayers>& statistics() const;

  // Gradient of the descriptors (m, 128) of the last forward() -> gradients of the weights, laid out like them: one
  // set, or one a part where they are kept apart.
  using Gradients = std::array<float*, kLayers>;
  void backward(const float* gradient, const std::vector<Gradients>& weight_gradients);
  void backward(const float* gradient, const Gradients& weight_gradients) {
    backward(gradient, std::vector<Gradients>{weight_gradients});
  }

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// A batch of which other passes elsewhere have the rest. Statistics are then of the whole batch, forward and backward;
// gradients of the weights are this pass's share, and add up to those of the whole.
struct NetPass::Together {
  int64_t patches = 0;  // in the whole batch
  // Each part's sums and gradients are kept apart, so that whoever adds them up can do so in an order that does not
  // depend on who had which part.
  bool apart = false;
  // (rows, count) sums of this pass, a row for each part that is kept apart, else one -> (count) over the whole batch.
  std::function<std::vector<double>(const std::vector<double>& mine, size_t rows)> total;
  std::function<void(size_t layer)> ready = {};  // called when the gradients of a layer's weights are complete
};

}  // namespace adasample
