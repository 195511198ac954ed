// SPDX-License-Identifier: Apache-2.0
// HyNet's hybrid similarity and its norm term. With d Euclidean and s = 1 - d^2/2 the dot product of unit descriptors,
//   h(d) = d + alpha (1 - s) = d + alpha d^2 / 2,    L_i = max(0, t + h(d_pos) - h(d_neg)),    alpha = 2, t = 1.2
//   batch term: 0.1 mean over i of ( |y_i| - |y_i+| )^2, y before the output norm
// Tian, Barroso-Laguna, Ng, Balntas, Mikolajczyk, NeurIPS 2020; constants and the unnormalised h of the published code,
// whose sums are means here.
#include "adasample/base/error.h"
#include "adasample/loss/loss.h"
#include "adasample/loss/mining.h"

namespace adasample {
namespace {

constexpr double kAlpha = 2, kNormFactor = 0.1;

at::Tensor hybrid(const at::Tensor& d) { return d + kAlpha / 2 * d.square(); }

class HyNetLoss : public Loss {
 public:
  explicit HyNetLoss(const LossOptions& options) : options_(options) {}

  LossOutput operator()(const LossInput& input) override {
    ADA_ASSERT(input.raw.defined());
    const MinedPairs pairs = mine_pairs(input, options_.mining);
    const at::Tensor norm = (input.raw.square().sum(1) + kUnderRoot).sqrt();  // (members n)
    const int64_t n = input.classes();
    LossOutput out{at::relu(options_.margin + hybrid(pairs.positive) - hybrid(pairs.negative)), pairs.positive.detach(),
                   pairs.negative.detach(), pairs.fully_masked};
    out.batch_term = kNormFactor * (norm.narrow(0, 0, n) - norm.narrow(0, n, n)).square().mean();
    return out;
  }

  Metric metric() const override { return Metric::kEuclidean; }
  bool wants_activations() const override { return true; }
  bool wants_noise() const override { return draws_negatives(options_.mining); }

 private:
  LossOptions options_;
};

}  // namespace

std::unique_ptr<Loss> make_hynet(const LossOptions& options) { return std::make_unique<HyNetLoss>(options); }

}  // namespace adasample
