// SPDX-License-Identifier: Apache-2.0
// TFeat's two losses with anchor swap, Balntas, Riba, Ponsa, Mikolajczyk, BMVC 2016, Eq. 2, 4 and section 3.3. The
// negative of pair i is a random patch n of another class, d Euclidean, d_neg = min( d(a, n), d(p, n) ):
//   margin   L_i = max(0, t + d_pos - d_neg)
//   ratio    L_i = ( e^d_pos / (e^d_pos + e^d_neg) )^2 + ( 1 - e^d_neg / (e^d_pos + e^d_neg) )^2
// A batch holds random classes in random order, so the next class's anchor is a random patch.
#include "adasample/loss/loss.h"

namespace adasample {
namespace {

class TFeatLoss : public Loss {
 public:
  TFeatLoss(double margin, bool ratio) : margin_(margin), ratio_(ratio) {}

  LossOutput operator()(const LossInput& input) override {
    const at::Tensor a = input.member(0), p = input.member(1), n = a.roll(1, 0);
    const at::Tensor positive = smooth_distance(a, p),
                     negative = at::minimum(smooth_distance(a, n), smooth_distance(p, n));
    // e^x / (e^x + e^y) = sigmoid(x - y), and both parts of the ratio loss are the same square.
    const at::Tensor loss =
        ratio_ ? 2 * at::sigmoid(positive - negative).square() : at::relu(margin_ + positive - negative);
    return {loss, positive.detach(), negative.detach(), at::zeros_like(positive, at::kBool)};
  }

  Metric metric() const override { return Metric::kEuclidean; }
  bool needs_unit_rows() const override { return false; }

 private:
  double margin_;
  bool ratio_;
};

}  // namespace

std::unique_ptr<Loss> make_tfeat_margin(const LossOptions& options) {
  return std::make_unique<TFeatLoss>(options.margin, /*ratio=*/false);
}

std::unique_ptr<Loss> make_tfeat_ratio(const LossOptions& options) {
  return std::make_unique<TFeatLoss>(options.margin, /*ratio=*/true);
}

}  // namespace adasample
