// SPDX-License-Identifier: Apache-2.0
// A margin that follows the batch: with x_i = d_pos - d_neg of HardNet's triplets (cross negatives, duplicates under
// 0.008 skipped, d = sqrt(2 - 2 s + 2e-6)),
//   L_i = w_i x_i,    w_i = CDF(x_i): the share of recent triplets that are easier, constant under differentiation
// The distribution is a histogram of 512 bins over [-2, 2], each x shared by two neighbouring bins, that moves by 0.01
// towards each batch; it is the loss's state. Zhang, Rusinkiewicz, ICCV 2019, Eq. 4 to 6.
#include "adasample/loss/loss.h"
#include "adasample/loss/mining.h"

namespace adasample {
namespace {

constexpr int64_t kMarginBins = 512;
constexpr double kLargest = 2, kMomentum = 0.01, kBinWidth = 2 * kLargest / kMarginBins;

class DynamicMargin : public Loss {
 public:
  LossOutput operator()(const LossInput& input) override {
    const at::Tensor stacked = input.descriptors.narrow(0, 0, 2 * input.classes());
    const MinedNegatives mined = mine_negatives(stacked, {Negatives::kCross, kHardNetDuplicates}, input.quantile);
    const auto distance = [](const at::Tensor& a, const at::Tensor& b) {
      return (2 * (1 - (a * b).sum(1) + 1e-6)).clamp_min(1e-12).sqrt();
    };
    const at::Tensor positive = distance(input.member(0), input.member(1));
    const at::Tensor negative = distance(stacked.index_select(0, mined.first), stacked.index_select(0, mined.second));
    const at::Tensor x = positive - negative;  // (n)
    return {weights(x.detach()) * x, positive.detach(), negative.detach(), mined.fully_masked};
  }

  Metric metric() const override { return Metric::kEuclidean; }
  LossState state() const override { return {{"histogram", histogram_}, {"batches", batches_}}; }

 private:
  // Takes the batch into the histogram, then looks each x up in its distribution. (n)
  at::Tensor weights(const at::Tensor& x) {
    torch::NoGradGuard no_grad;
    if (histogram_.device() != x.device()) {
      histogram_.set_data(histogram_.to(x.device()));
      batches_.set_data(batches_.to(x.device()));
    }
    const at::Tensor place = ((x.to(at::kDouble) + kLargest) / kBinWidth).clamp(0, kMarginBins - 1);
    const at::Tensor low = place.floor().to(at::kLong), high = (low + 1).clamp_max(kMarginBins - 1);
    const at::Tensor share = place - low;
    at::Tensor now = at::zeros_like(histogram_).index_add_(0, low, 1 - share).index_add_(0, high, share);
    now = now / now.sum();
    histogram_.copy_(at::where(batches_ == 0, now, (1 - kMomentum) * histogram_ + kMomentum * now));
    batches_.add_(1);
    return (histogram_.cumsum(0) / histogram_.sum()).index_select(0, low).to(x.dtype());
  }

  at::Tensor histogram_ = at::zeros({kMarginBins}, at::kDouble);
  at::Tensor batches_ = at::zeros({}, at::kLong);
};

}  // namespace

std::unique_ptr<Loss> make_dynamic_margin(const LossOptions&) { return std::make_unique<DynamicMargin>(); }

}  // namespace adasample
