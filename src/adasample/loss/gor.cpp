// SPDX-License-Identifier: Apache-2.0
// Global orthogonal regularisation. Two points drawn uniformly on the sphere of R^D have a dot product of mean 0 and
// second moment 1/D; descriptors of different points should too:
//   M1 = mean of a_i . p_j,   M2 = mean of (a_i . p_j)^2   over i != j
//   GOR = M1^2 + max(0, M2 - 1/D)
// Zhang, Yu, Kumar, Chang, ICCV 2017, Eq. 6. They draw one negative an anchor; here every pair of the batch counts.
#include "adasample/loss/terms.h"

namespace adasample {
namespace {

class GlobalOrthogonal : public BatchTerm {
 public:
  at::Tensor operator()(const LossInput& input) override {
    const at::Tensor anchors = input.member(0), positives = input.member(1);  // (n, D)
    const auto n = static_cast<double>(input.classes());
    const double pairs = n * (n - 1);
    const at::Tensor product = anchors.mm(positives.t());  // (n, n)
    const at::Tensor own = (anchors * positives).sum(1);   // its diagonal
    const at::Tensor mean = (product.sum() - own.sum()) / pairs;
    const at::Tensor second = (product.square().sum() - own.square().sum()) / pairs;
    return mean.square() + at::relu(second - 1.0 / static_cast<double>(anchors.size(1)));
  }
};

}  // namespace

std::unique_ptr<BatchTerm> make_gor() { return std::make_unique<GlobalOrthogonal>(); }

}  // namespace adasample
