// SPDX-License-Identifier: Apache-2.0
#include "adasample/net/batch_norm.h"

#include "adasample/base/error.h"

namespace adasample {
namespace {

// Sums over everything but channels, (rows, C) double -> the whole batch's, (rows, C).
at::Tensor total_of(const at::Tensor& sums, const PartOfBatch& part) {
  const at::Tensor host = sums.cpu().contiguous();
  const double* begin = host.data_ptr<double>();
  const std::vector<double> all = part.total({begin, begin + host.numel()});
  return torch::tensor(all, at::kDouble).view(host.sizes()).to(sums.device());
}

at::Tensor by_channel(const at::Tensor& values) { return values.view({1, -1, 1, 1}); }
at::Tensor sum_of(const at::Tensor& x) { return x.sum(at::IntArrayRef{0, 2, 3}, /*keepdim=*/false, at::kDouble); }

// The step from x to x'; scale and shift after it are left to autograd.
class NormaliseOfPart : public torch::autograd::Function<NormaliseOfPart> {
 public:
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& x, const at::Tensor& mean,
                            const at::Tensor& inverse, int64_t part, double count) {
    context->save_for_backward({x, mean, inverse});  // not what is returned: a ReLU after it works in place
    context->saved_data["part"] = part;
    context->saved_data["count"] = count;
    return (x - by_channel(mean)) * by_channel(inverse);
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const at::Tensor& g = gradients[0];
    const at::Tensor inverse = by_channel(saved[2]), normalised = (saved[0] - by_channel(saved[1])) * inverse;
    const auto* part = reinterpret_cast<const PartOfBatch*>(context->saved_data["part"].toInt());
    const at::Tensor sums = total_of(at::stack({sum_of(g), sum_of(g * normalised)}), *part);
    const at::Tensor means = (sums / context->saved_data["count"].toDouble()).to(g.scalar_type());
    const at::Tensor of_x = (g - by_channel(means[0]) - normalised * by_channel(means[1])) * inverse;
    return {of_x, at::Tensor(), at::Tensor(), at::Tensor(), at::Tensor()};
  }
};

}  // namespace

at::Tensor batch_norm_of_part(torch::nn::BatchNorm2dImpl& norm, const at::Tensor& x, const PartOfBatch& part) {
  at::Tensor mean, inverse;
  const double count = static_cast<double>(part.patches * x.size(2) * x.size(3));
  {
    torch::NoGradGuard no_grad;
    const at::Tensor expected = norm.running_mean.to(x.scalar_type());
    const at::Tensor deviation = x.detach() - by_channel(expected);
    const at::Tensor sums = total_of(at::stack({sum_of(deviation), sum_of(deviation.square())}), part) / count;
    const at::Tensor exact_mean = expected.to(at::kDouble) + sums[0];
    const at::Tensor variance = (sums[1] - sums[0].square()).clamp_min(0);
    mean = exact_mean.to(x.scalar_type());
    inverse = (variance + norm.options.eps()).rsqrt().to(x.scalar_type());
    const double momentum = norm.options.momentum().value();
    const at::Tensor unbiased = variance * (count / (count - 1));
    norm.running_mean.copy_((1 - momentum) * norm.running_mean.to(at::kDouble) + momentum * exact_mean);
    norm.running_var.copy_((1 - momentum) * norm.running_var.to(at::kDouble) + momentum * unbiased);
    norm.num_batches_tracked += 1;
  }
  const at::Tensor y = NormaliseOfPart::apply(x, mean, inverse, reinterpret_cast<int64_t>(&part), count);
  return norm.weight.defined() ? y * by_channel(norm.weight) + by_channel(norm.bias) : y;
}

}  // namespace adasample
