// SPDX-License-Identifier: Apache-2.0
// DeepDesc's loss over pairs with its mining, Simo-Serra, Trulls, Ferraz, Kokkinos, Fua, Moreno-Noguer, ICCV 2015,
// Eq. 1 and section 3.3:
//   matching pair  l = d        other pair  l = max(0, C - d)        d Euclidean, C = 4 (--margin)
// All n matching pairs of the batch and n others, (a_i, p_(i+1)), go forward; only the hardest eighth of each kind is
// learned from. L_i is 8 times what remains of pair i and of its other pair, so that its mean is that of those kept.
#include <algorithm>

#include "adasample/loss/loss.h"

namespace adasample {
namespace {

constexpr int64_t kMining = 8;

// 1 for the largest eighth, one at least; 0 for the others. (n)
at::Tensor hardest(const at::Tensor& losses) {
  const at::Tensor order = std::get<1>(losses.detach().topk(std::max<int64_t>(1, losses.size(0) / kMining)));
  return at::zeros_like(losses).index_fill_(0, order, 1);
}

class DeepDescLoss : public Loss {
 public:
  explicit DeepDescLoss(const LossOptions& options) : margin_(options.margin) {}

  LossOutput operator()(const LossInput& input) override {
    const at::Tensor a = input.member(0), p = input.member(1);
    const at::Tensor positive = smooth_distance(a, p), negative = smooth_distance(a, p.roll(-1, 0));
    const at::Tensor other = at::relu(margin_ - negative);
    const int64_t n = input.classes(), kept = std::max<int64_t>(1, n / kMining);
    const double factor = static_cast<double>(n) / static_cast<double>(kept);
    return {factor * (hardest(positive) * positive + hardest(other) * other), positive.detach(), negative.detach(),
            at::zeros_like(positive, at::kBool)};
  }

  Metric metric() const override { return Metric::kEuclidean; }
  bool needs_unit_rows() const override { return false; }

 private:
  double margin_;
};

}  // namespace

std::unique_ptr<Loss> make_deepdesc(const LossOptions& options) { return std::make_unique<DeepDescLoss>(options); }

}  // namespace adasample
