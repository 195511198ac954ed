// SPDX-License-Identifier: Apache-2.0
#include "adasample/loss/distance.h"

#include "adasample/base/error.h"

namespace adasample {
namespace {

constexpr double kSineFloor = 1e-3;

at::Tensor row_norm(const at::Tensor& x) { return x.square().sum(-1).sqrt(); }

at::Tensor row_angle(const at::Tensor& x, const at::Tensor& y) {
  return 2 * at::atan2(row_norm(x - y), row_norm(x + y));
}

class SquaredAngle : public torch::autograd::Function<SquaredAngle> {
 public:
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& x, const at::Tensor& y) {
    const at::Tensor theta = row_angle(x, y);  // (n)
    context->save_for_backward({x, y, theta});
    return theta.square();
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const at::Tensor &x = saved[0], &y = saved[1], &theta = saved[2];
    // d(theta^2) / d(x.y) = -2 theta / sin(theta). Near 0 the quotient is taken by its limit before it becomes 0 / 0.
    const at::Tensor sine = theta.sin();
    const at::Tensor quotient = at::where(theta < kSineFloor, at::ones_like(theta), theta / sine.clamp_min(kSineFloor));
    const at::Tensor factor = (-2 * quotient * gradients[0]).unsqueeze(1);  // (n, 1)
    return {factor * y, factor * x};
  }
};

}  // namespace

std::string_view to_string(Metric metric) { return metric == Metric::kAngular ? "angular" : "euclidean"; }

at::Tensor row_distance(const at::Tensor& x, const at::Tensor& y, Metric metric) {
  torch::NoGradGuard no_grad;
  return metric == Metric::kAngular ? row_angle(x, y) : row_norm(x - y);
}

at::Tensor squared_distance(const at::Tensor& x, const at::Tensor& y, Metric metric) {
  return metric == Metric::kAngular ? SquaredAngle::apply(x, y) : (x - y).square().sum(-1);
}

at::Tensor smooth_distance(const at::Tensor& x, const at::Tensor& y) {
  return ((x - y).square().sum(1) + kUnderRoot).sqrt();
}

}  // namespace adasample
