// SPDX-License-Identifier: Apache-2.0
// SOSNet's first-order term, a quadratic hinge over the closest negative of all four kinds:
//   L_i = max(0, t + d_pos - d_neg)^2,   d Euclidean
// Tian, Yu, Fan, Wu, Heijnen, Balntas, CVPR 2019, Eq. 3. Its second-order term is --terms sos=1 (sos.cpp).
#include "adasample/loss/loss.h"
#include "adasample/loss/mining.h"

namespace adasample {
namespace {

class SosNetLoss : public Loss {
 public:
  explicit SosNetLoss(const LossOptions& options) : options_(options) {}

  LossOutput operator()(const LossInput& input) override {
    const MinedPairs pairs = mine_pairs(input, options_.mining);
    return {at::relu(options_.margin + pairs.positive - pairs.negative).square(), pairs.positive.detach(),
            pairs.negative.detach(), pairs.fully_masked};
  }

  Metric metric() const override { return Metric::kEuclidean; }
  bool wants_noise() const override { return draws_negatives(options_.mining); }

 private:
  LossOptions options_;
};

}  // namespace

std::unique_ptr<Loss> make_sosnet(const LossOptions& options) { return std::make_unique<SosNetLoss>(options); }

}  // namespace adasample
