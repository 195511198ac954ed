// SPDX-License-Identifier: Apache-2.0
// MatchNet's loss, Han, Leung, Jia, Sukthankar, Berg, CVPR 2015, Eq. 1: the cross entropy of a learned metric that says
// with which probability P two descriptors show the same point. As many other pairs as matching ones, (a_i, p_(i+1)) as
// a batch holds random classes in random order; n pairs of each:
//   L_i = -1/2 ( log P(a_i, p_i) + log(1 - P(a_i, p_(i+1))) )        in [0, inf), log 2 where the metric knows nothing
// What is reported as distances is 1 - P.
#include "adasample/base/error.h"
#include "adasample/loss/loss.h"

namespace adasample {
namespace {

class MatchNetLoss : public Loss {
 public:
  LossOutput operator()(const LossInput& input) override {
    ADA_ASSERT(input.compare);
    const at::Tensor a = input.member(0), p = input.member(1);
    const at::Tensor same = input.compare(a, p).log_softmax(1), other = input.compare(a, p.roll(-1, 0)).log_softmax(1);
    return {-0.5 * (same.select(1, 1) + other.select(1, 0)), same.select(1, 0).detach().exp(),
            other.select(1, 0).detach().exp(), at::zeros({input.classes()}, a.options().dtype(at::kBool))};
  }

  Metric metric() const override { return Metric::kEuclidean; }
  bool needs_unit_rows() const override { return false; }
  bool needs_metric() const override { return true; }
};

}  // namespace

std::unique_ptr<Loss> make_matchnet(const LossOptions&) { return std::make_unique<MatchNetLoss>(); }

}  // namespace adasample
