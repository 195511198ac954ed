// SPDX-License-Identifier: Apache-2.0
#include "adasample/train/effective_rank.h"

namespace adasample {

at::Tensor gram_matrix(const at::Tensor& descriptors) {
  torch::NoGradGuard no_grad;
  const at::Tensor x = descriptors.detach().to(at::kDouble);  // in float a collapsed batch would show noise as rank
  const at::Tensor gram = x.size(0) < x.size(1) ? x.mm(x.t()) : x.t().mm(x);
  // LAPACK refuses what is not finite; such a batch is reported by its skipped step, not here.
  return at::where(at::isfinite(gram).all(), gram, at::eye(gram.size(0), gram.options()));
}

double effective_rank(const at::Tensor& gram) {
  torch::NoGradGuard no_grad;
  const at::Tensor singular = at::linalg_eigvalsh(gram.cpu()).clamp_min(0).sqrt();
  const at::Tensor share = singular / singular.sum().clamp_min(1e-12);
  return (-at::xlogy(share, share).sum()).exp().item<double>();
}

}  // namespace adasample
