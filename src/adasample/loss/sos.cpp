// SPDX-License-Identifier: Apache-2.0
// Second-order similarity. With d Euclidean, for every class i
//   d2_i^2 = sum over j in c_i of ( d(a_i, a_j) - d(p_i, p_j) )^2,      SOS = mean of d2_i
// where j is in c_i if a_j is among the 8 nearest anchors of a_i or p_j among the 8 nearest positives of p_i. Tian, Yu,
// Fan, Wu, Heijnen, Balntas, CVPR 2019, Eq. 4 and 5.
#include <algorithm>

#include "adasample/loss/terms.h"

namespace adasample {
namespace {

constexpr int64_t kNeighbours = 8;
constexpr double kTiny = 1e-10;  // under the roots, whose slope is infinite at 0

// Between rows of unit vectors. (n, n)
at::Tensor distances(const at::Tensor& x) { return (2 - 2 * x.mm(x.t())).clamp_min(kTiny).sqrt(); }

// True where j is among the nearest of row i. (n, n)
at::Tensor nearest(const at::Tensor& d, const at::Tensor& self, int64_t count) {
  const at::Tensor order = std::get<1>(d.detach().masked_fill(self, 10).topk(count, 1, /*largest=*/false));
  return at::zeros_like(self).scatter_(1, order, true);
}

class SecondOrder : public BatchTerm {
 public:
  at::Tensor operator()(const LossInput& input) override {
    const at::Tensor anchors = distances(input.member(0)), positives = distances(input.member(1));  // (n, n)
    const int64_t n = input.classes(), count = std::min(kNeighbours, n - 1);
    const at::Tensor self = at::eye(n, anchors.options()).to(at::kBool);
    const at::Tensor chosen = nearest(anchors, self, count).logical_or(nearest(positives, self, count));
    const at::Tensor difference = (anchors - positives).masked_fill(chosen.logical_not(), 0);
    return (difference.square().sum(1) + kTiny).sqrt().mean();
  }
};

}  // namespace

std::unique_ptr<BatchTerm> make_sos() { return std::make_unique<SecondOrder>(); }

}  // namespace adasample
