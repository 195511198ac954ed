// SPDX-License-Identifier: Apache-2.0
// pair_gradient() of each candidate pair of classes of a store, in double precision, beside the distance that stands
// for it in the sampler: for the paper's Figure 3.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "adasample/data/patch_store.h"
#include "adasample/loss/options.h"
#include "adasample/model/weights.h"

namespace adasample {

struct CandidateGradientOptions {
  LossOptions loss = {};  // aht or ht; its margin counts, its terms do not
  int64_t classes = 48;   // n: negatives are mined among them
  int64_t k = 15;         // patches of a class, at most
  uint64_t seed = 0;      // of classes, anchors and the other classes' positives
  std::string device = "cpu";

  void validate() const;
};

// One class: an anchor and what it could be paired with.
struct ClassGradients {
  int64_t class_id = 0;
  std::vector<double> distances;  // d of each candidate, in the loss's metric
  // |gradient of L| with the negative frozen: its distance is a number. 0 where the hinge is not active.
  std::vector<double> norms;
  // The same where only the negative's own descriptor is frozen, so that the anchor is also pushed away from it.
  std::vector<double> norms_pushed;
  int64_t active = 0;  // candidates with a positive loss
};

// L of candidate i of class c: max(0, t + d(a_c, x_i)^2 - m^2), where m is the least of d(a_c, a_j) and d(x_i, p_j)
// over the other classes j (Eq. 14), each with an anchor a_j and a positive p_j drawn uniformly.
std::vector<ClassGradients> candidate_gradients(const Weights& weights, const PatchStore& store,
                                                const CandidateGradientOptions& options);

}  // namespace adasample
