// SPDX-License-Identifier: Apache-2.0
// A network as a Torch module, built from its table: (m, S, S) grey patches -> (m, D) descriptors. Parameters and
// buffers have the names of the table's arrays, which are those of the published Python modules: features.0.weight,
// features.1.running_mean, ...
#pragma once

#include <torch/torch.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "adasample/model/layer_table.h"
#include "adasample/model/weights.h"

namespace adasample {

// Per patch (x - mean) / (unbiased std + epsilon), then a channel dimension: (m, S, S) -> (m, 1, S, S).
at::Tensor normalise_patches(const at::Tensor& patches, const LayerTable& table);
// What a tower sees of the patches, normalised as the network has it: (m, S, S) -> (m, 1, s, s).
at::Tensor tower_input(const at::Tensor& patches, const Network& network, const Tower& tower);

// y / sqrt(sum y^2 + epsilon) by row. (m, D)
at::Tensor normalise_rows(const at::Tensor& y, double epsilon);
at::Tensor normalise_descriptors(const at::Tensor& y, const LayerTable& table);

// What a loss may ask of a pass besides the descriptors.
struct Activations {
  at::Tensor raw;    // (m, D) before the output norm
  at::Tensor first;  // (m, C, W, W) what the first batch norm leaves, and the last; undefined for a network without
  at::Tensor last;
};

// A pass in training mode over a part of a batch, whose rest is elsewhere: what it takes to be that part of a pass over
// the whole.
struct PartOfBatch {
  int64_t patches = 0;             // of the whole batch
  std::vector<int64_t> rows = {};  // numbers of this part's patches in it
  // Sums of this part -> of the whole batch; empty: batch norm by this part's own statistics.
  std::function<std::vector<double>(const std::vector<double>&)> total = {};
};

class NetImpl : public torch::nn::Module {
 public:
  // Initialised from `seed`: weights orthogonal, biases and shifts 0, scales 1, thresholds -1. Dropout as in the table
  // unless given.
  explicit NetImpl(uint64_t seed, std::optional<double> dropout = std::nullopt,
                   const Network& network = find_network("l2net"));

  // patches: (m, S, S), uint8 or floating. Training or evaluation mode as the module is set.
  at::Tensor forward(const at::Tensor& patches) { return run(patches, is_training(), nullptr, nullptr); }
  // `activations` may be null; so may `part`, of a batch that is all here. `part` must stay until the gradients are
  // made.
  at::Tensor forward(const at::Tensor& patches, Activations* activations, const PartOfBatch* part = nullptr) {
    return run(patches, is_training(), activations, part);
  }
  // In evaluation mode however the module is set: with gradient, and without.
  at::Tensor evaluate(const at::Tensor& patches) const { return run(patches, /*learning=*/false, nullptr, nullptr); }
  at::Tensor describe(const at::Tensor& patches) const;

  // The network's learned metric: (m, D), (m, D) -> (m, 2), what of a softmax are the probabilities that each pair
  // shows different points, and the same. With gradient.
  at::Tensor compare(const at::Tensor& a, const at::Tensor& b) const;

  const Network& network() const { return *network_; }
  // Its plain form, of a network that has one.
  const LayerTable& table() const;

 private:
  // A layer of a tower with its tensors: parameters and buffers in the order of Network::arrays().
  struct Step {
    const NetLayer* layer;
    std::shared_ptr<torch::nn::Module> module;
  };
  std::shared_ptr<torch::nn::Module> make_module(const NetLayer& layer, const PlaneShape& before,
                                                 std::optional<double> dropout);
  void place(const std::string& name, const std::shared_ptr<torch::nn::Module>& module);
  at::Tensor run(const at::Tensor& patches, bool learning, Activations* activations, const PartOfBatch* part) const;
  static at::Tensor apply(const Step& step, const at::Tensor& x, bool learning, const PartOfBatch* part);

  const Network* network_;
  std::vector<std::vector<Step>> towers_;
  std::vector<Step> metric_;  // empty without one
};
TORCH_MODULE(Net);

// Copies of the module's arrays on the host, and the way back (checked against the layer table).
Weights weights_of(const NetImpl& net);
void load_weights(NetImpl& net, const Weights& weights);

}  // namespace adasample
