// SPDX-License-Identifier: Apache-2.0
// Losses over a batch: what each pair costs, and what the batch as a whole does.
//   ht       L_i = max(0, t + d_pos^2 - d_neg^2), Euclidean d              in [0, t + 4]
//   aht      the same with angles (Eq. 15)                                 in [0, t + pi^2]
//   hardnet  L_i = max(0, t + d_pos - d_neg), d = sqrt(|a|^2 + |p|^2 - 2 a.p + 1e-6) + 1e-8, cross negatives, as
//   published
// All are t where d_pos = d_neg, and 0 with zero gradient where d_neg is larger by the margin. The other losses of the
// field state their equation and source in their own files: sosnet.cpp, hynet.cpp, dynamic_margin.cpp, l2net.cpp,
// tfeat.cpp, deepdesc.cpp, doap.cpp, matchnet.cpp. Any may be joined by terms of the batch (terms.h).
#pragma once

#include <torch/torch.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "adasample/loss/distance.h"
#include "adasample/loss/options.h"

namespace adasample {

// What a loss may look at.
struct LossInput {
  // (members * n, D), with gradient: row j n + i is member j of class i. Member 0 is the anchor, 1 its positive.
  at::Tensor descriptors;
  int64_t members = 2;
  std::optional<at::Tensor> quantile = std::nullopt;  // as in mine_negatives
  at::Tensor iteration = {};                          // () int64
  at::Tensor raw = {};          // (members n, D) before the output norm; this and the next two where asked for
  at::Tensor first_layer = {};  // (members n, C, W, W) what the first batch norm leaves; undefined without one
  at::Tensor last_layer = {};   // and the last
  at::Tensor present = {};      // (n, members) bool: members that are patches of their own; undefined: all
  at::Tensor noise = {};        // (n) double, uniform in [0, 1), where asked for
  // The network's learned metric, (n, D), (n, D) -> (n, 2): NetImpl::compare. Null for a network without.
  std::function<at::Tensor(const at::Tensor& a, const at::Tensor& b)> compare = {};

  int64_t classes() const { return descriptors.size(0) / members; }
  at::Tensor member(int64_t j) const { return descriptors.narrow(0, j * classes(), classes()); }  // (n, D)
};

struct LossOutput {
  at::Tensor per_pair;           // (n) L_i, differentiable; the step follows mean(w_i L_i), L_avg their plain mean
  at::Tensor positive_distance;  // (n) d_pos, in the loss's metric, detached
  at::Tensor negative_distance;  // (n) d_neg, detached
  at::Tensor fully_masked;       // (n) bool, see mining.h
  at::Tensor batch_term = {};  // () what the step follows besides, neither weighted nor part of L_avg; undefined: none
};

// Tensors that a loss keeps from one iteration to the next and changes in place, by name: a checkpoint holds them.
using LossState = std::map<std::string, at::Tensor>;

class Loss {
 public:
  virtual ~Loss() = default;
  virtual LossOutput operator()(const LossInput& input) = 0;
  // The metric of this loss: it also serves in the sampling probabilities and weights.
  virtual Metric metric() const = 0;
  virtual LossState state() const { return {}; }
  // What it looks at besides descriptors, and whether these must be of unit length.
  virtual bool wants_activations() const { return false; }
  virtual bool wants_noise() const { return false; }
  virtual bool needs_unit_rows() const { return true; }
  // Whether it learns the network's metric (LossInput::compare), which no other loss does.
  virtual bool needs_metric() const { return false; }
};

std::unique_ptr<Loss> make_loss(const LossOptions& options);

inline bool draws_negatives(const MiningOptions& mining) { return mining.choice == NegativeChoice::kDistanceWeighted; }

// The first two in triplet.cpp, the others in files of their names; make_loss chooses.
std::unique_ptr<Loss> make_hinge_triplet(const LossOptions& options);
std::unique_ptr<Loss> make_angular_hinge_triplet(const LossOptions& options);
std::unique_ptr<Loss> make_hardnet(const LossOptions& options);
std::unique_ptr<Loss> make_sosnet(const LossOptions& options);
std::unique_ptr<Loss> make_hynet(const LossOptions& options);
std::unique_ptr<Loss> make_dynamic_margin(const LossOptions& options);
std::unique_ptr<Loss> make_l2net_loss(const LossOptions& options);
std::unique_ptr<Loss> make_tfeat_margin(const LossOptions& options);
std::unique_ptr<Loss> make_tfeat_ratio(const LossOptions& options);
std::unique_ptr<Loss> make_deepdesc(const LossOptions& options);
std::unique_ptr<Loss> make_doap(const LossOptions& options);
std::unique_ptr<Loss> make_matchnet(const LossOptions& options);

}  // namespace adasample
