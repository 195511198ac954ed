// SPDX-License-Identifier: Apache-2.0
#include "adasample/train/effective_rank.h"

namespace adasample {

at::Tensor effective_rank(const at::Tensor& descriptors) {
  torch::NoGradGuard no_grad;
  const at::Tensor x = descriptors.detach();
  const at::Tensor gram = x.size(0) < x.size(1) ? x.mm(x.t()) : x.t().mm(x);
  const at::Tensor singular = at::linalg_eigvalsh(gram).clamp_min(0).sqrt();
  const at::Tensor share = singular / singular.sum().clamp_min(1e-12);
  return (-at::xlogy(share, share).sum()).exp();
}

}  // namespace adasample
