// SPDX-License-Identifier: Apache-2.0
// L2-Net's loss, Tian, Fan, Wu, CVPR 2017, Eq. 3 to 8. With d_ij = sqrt(2 (1 - a_i . p_j)),
//   L_i = -1/2 ( log softmax over j of (2 - d_ij) at i + log softmax over j of (2 - d_ji) at i )        rows, columns
//   compactness: 1/2 mean over pairs of different numbers of (r_uv^2 of the anchors + r_uv^2 of the positives), r the
//   correlation of numbers u and v over the batch; features: L_i again for the maps that the first and the last batch
//   norm leave, with g_ij, the inner product of maps, in place of 2 - d_ij. Both are batch terms, and means. Maps are
//   scaled to unit length first, as inner products of 32,768 numbers leave exp() no slope.
#include "adasample/loss/loss.h"

namespace adasample {
namespace {

// -1/2 (log softmax of rows + log softmax of columns), on the diagonal. similarity: (n, n) -> (n)
at::Tensor rows_and_columns(const at::Tensor& similarity) {
  return -0.5 * (at::log_softmax(similarity, 1).diagonal() + at::log_softmax(similarity, 0).diagonal());
}

// Mean over u != v of the squared correlation of columns u and v. x: (n, D) -> ()
at::Tensor correlation(const at::Tensor& x) {
  const at::Tensor centred = x - x.mean(0, /*keepdim=*/true);
  const at::Tensor unit = centred / (centred.square().sum(0, /*keepdim=*/true) + kUnderRoot).sqrt();
  const at::Tensor r = unit.t().mm(unit);  // (D, D)
  const auto size = static_cast<double>(r.size(0));
  return (r.square().sum() - r.diagonal().square().sum()) / (size * (size - 1));
}

// maps: (members n, ..), of anchors first. -> ()
at::Tensor features(const at::Tensor& maps, int64_t n) {
  const at::Tensor flat = maps.flatten(1), unit = flat / (flat.square().sum(1, /*keepdim=*/true) + kUnderRoot).sqrt();
  return rows_and_columns(unit.narrow(0, 0, n).mm(unit.narrow(0, n, n).t())).mean();
}

class L2NetLoss : public Loss {
 public:
  LossOutput operator()(const LossInput& input) override {
    const at::Tensor a = input.member(0), p = input.member(1);
    const int64_t n = input.classes();
    const at::Tensor d = (2 - 2 * a.mm(p.t()) + kUnderRoot).clamp_min(kUnderRoot).sqrt();  // (n, n)
    const at::Tensor none = at::zeros({n}, d.options().dtype(at::kBool));
    const at::Tensor others = d.detach() + 10 * at::eye(n, d.options());
    LossOutput out{rows_and_columns(2 - d), d.detach().diagonal().clone(), at::minimum(others.amin(1), others.amin(0)),
                   none};
    out.batch_term = 0.5 * (correlation(a) + correlation(p));
    for (const at::Tensor& maps : {input.first_layer, input.last_layer}) {
      if (maps.defined()) out.batch_term = out.batch_term + features(maps, n);
    }
    return out;
  }

  Metric metric() const override { return Metric::kEuclidean; }
  bool wants_activations() const override { return true; }
};

}  // namespace

std::unique_ptr<Loss> make_l2net_loss(const LossOptions&) { return std::make_unique<L2NetLoss>(); }

}  // namespace adasample
