// SPDX-License-Identifier: Apache-2.0
// HardNet's own loss, as published: unsquared hinge, cross negatives from row and column, its distance and its masks.
#include "adasample/loss/loss.h"
#include "adasample/loss/mining.h"

namespace adasample {
namespace {

constexpr double kMask = 10;  // added to what must not be the minimum

class HardNetLoss : public Loss {
 public:
  explicit HardNetLoss(const LossOptions& options) : margin_(options.margin) {}

  LossOutput operator()(const LossInput& input) override {
    const at::Tensor anchors = input.member(0), positives = input.member(1);  // (n, D)
    const at::Tensor a2 = anchors.square().sum(1).unsqueeze(1), p2 = positives.square().sum(1).unsqueeze(0);
    const at::Tensor d = (a2 + p2 - 2 * anchors.mm(positives.t()) + 1e-6).sqrt() + 1e-8;  // (n, n)
    const at::Tensor off_diagonal = d + kMask * at::eye(d.size(0), d.options());
    const at::Tensor duplicate = off_diagonal < kHardNetDuplicates;
    const at::Tensor masked = off_diagonal + kMask * duplicate.to(d.dtype());
    const at::Tensor positive = d.diagonal();
    at::Tensor negative;
    if (input.quantile) {
      // Warm-up: the distance at the quantile of similarity, over row and column together; masked entries come first.
      const at::Tensor candidates = at::cat({masked, masked.t()}, 1);
      const auto [descending, order] = candidates.sort(1, /*descending=*/true);
      const at::Tensor excluded = (candidates.detach() >= kMask).sum(1);
      const at::Tensor rank = excluded + (*input.quantile * (candidates.size(1) - 1 - excluded)).round().to(at::kLong);
      negative = descending.gather(1, rank.clamp_max(candidates.size(1) - 1).unsqueeze(1)).squeeze(1);
    } else {
      negative = at::minimum(std::get<0>(masked.min(1)), std::get<0>(masked.min(0)));
    }
    return {at::relu(margin_ + positive - negative), positive.detach(), negative.detach(),
            at::minimum(masked.detach().amin(1), masked.detach().amin(0)) >= kMask};
  }

  Metric metric() const override { return Metric::kEuclidean; }

 private:
  double margin_;
};

}  // namespace

std::unique_ptr<Loss> make_hardnet(const LossOptions& options) { return std::make_unique<HardNetLoss>(options); }

}  // namespace adasample
