// SPDX-License-Identifier: Apache-2.0
// Average precision itself, He, Lu, Sclaroff, CVPR 2018 (DOAP), with the tie-aware form of He et al., CVPR 2018
// ("Hashing as tie-aware learning to rank"). Every patch of the batch asks for the others of its class among all
// others; squared distances in [0, 4] fall softly into b = 25 bins, h_l of them and h_l+ matching ones into bin l:
//   AP = 1/N+ sum over l of h_l+ (H_l+ + H_(l-1)+ + 1) / (H_l + H_(l-1) + 1),  H the sums up to a bin
//   L_i = 1 - mean AP of the patches of class i                                    --members says how many there are
#include "adasample/loss/loss.h"

namespace adasample {
namespace {

constexpr int64_t kPrecisionBins = 25;

class Doap : public Loss {
 public:
  LossOutput operator()(const LossInput& input) override {
    const int64_t n = input.classes(), m = input.members, rows = m * n;
    const at::Tensor x = input.descriptors;  // (m n, D)
    const at::Tensor d2 = 2 - 2 * x.mm(x.t());
    // A patch that stands in for a missing one asks for nothing and is not found.
    at::Tensor present = at::ones({rows}, x.options());
    if (input.present.defined()) present = input.present.t().reshape({rows}).to(x.dtype());
    const at::Tensor name = at::arange(n, x.options().dtype(at::kLong)).repeat({m});
    const at::Tensor found = present.unsqueeze(0) * (1 - at::eye(rows, x.options()));  // (rows, rows)
    const at::Tensor same = (name.unsqueeze(1) == name.unsqueeze(0)).to(x.dtype());
    const at::Tensor matching = found * same;

    constexpr double kWidth = 4.0 / (kPrecisionBins - 1);
    at::Tensor precision = at::zeros({rows}, x.options()), all_before = precision, matching_before = precision;
    for (int64_t bin = 0; bin < kPrecisionBins; ++bin) {
      const at::Tensor share = at::relu(1 - (d2 - kWidth * static_cast<double>(bin)).abs() / kWidth);  // (rows, rows)
      const at::Tensor h = (share * found).sum(1), h_matching = (share * matching).sum(1);
      const at::Tensor all = all_before + h, all_matching = matching_before + h_matching;
      precision = precision + h_matching * (all_matching + matching_before + 1) / (all + all_before + 1);
      all_before = all;
      matching_before = all_matching;
    }
    precision = precision / matching.sum(1).clamp_min(1);
    const at::Tensor of_class = (precision * present).view({m, n}).sum(0) / present.view({m, n}).sum(0);
    const at::Tensor d = d2.detach().clamp_min(0).sqrt(), others = d + 10 * same;
    return {1 - of_class, d.diagonal(n).narrow(0, 0, n).clone(),
            at::minimum(others.narrow(0, 0, n).amin(1), others.narrow(0, n, n).amin(1)),
            at::zeros({n}, x.options().dtype(at::kBool))};
  }

  Metric metric() const override { return Metric::kEuclidean; }
};

}  // namespace

std::unique_ptr<Loss> make_doap(const LossOptions&) { return std::make_unique<Doap>(); }

}  // namespace adasample
