// SPDX-License-Identifier: Apache-2.0
// HT and AHT (Eq. 15): the hinge over squared Euclidean distances, or squared angles, to a mined negative.
#include "adasample/loss/loss.h"
#include "adasample/loss/mining.h"

namespace adasample {
namespace {

class SquaredTriplet : public Loss {
 public:
  SquaredTriplet(const LossOptions& options, Metric metric) : options_(options), metric_(metric) {}
  LossOutput operator()(const LossInput& input) override;
  Metric metric() const override { return metric_; }
  bool wants_noise() const override { return draws_negatives(options_.mining); }

 private:
  LossOptions options_;
  Metric metric_;
};

LossOutput SquaredTriplet::operator()(const LossInput& input) {
  const at::Tensor stacked = input.descriptors.narrow(0, 0, 2 * input.classes());  // (2n, D) = [anchors; positives]
  const MinedNegatives mined = mine_negatives(stacked, options_.mining, input.quantile, input.noise);
  // Mining only chooses; the distance of the chosen pair is computed again with gradient, so nothing (n, n) is kept for
  // it.
  const at::Tensor positive = squared_distance(input.member(0), input.member(1), metric_);  // (n)
  const at::Tensor negative =
      squared_distance(stacked.index_select(0, mined.first), stacked.index_select(0, mined.second), metric_);
  return {at::relu(options_.margin + positive - negative), positive.detach().sqrt(), negative.detach().sqrt(),
          mined.fully_masked};
}

}  // namespace

std::unique_ptr<Loss> make_hinge_triplet(const LossOptions& options) {
  return std::make_unique<SquaredTriplet>(options, Metric::kEuclidean);
}

std::unique_ptr<Loss> make_angular_hinge_triplet(const LossOptions& options) {
  return std::make_unique<SquaredTriplet>(options, Metric::kAngular);
}

}  // namespace adasample
