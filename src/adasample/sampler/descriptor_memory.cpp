// SPDX-License-Identifier: Apache-2.0
#include "adasample/sampler/descriptor_memory.h"

#include <algorithm>
#include <cmath>

namespace adasample {

DescriptorMemory::DescriptorMemory(int64_t patches, int64_t dimension, int64_t refreshed, const at::Device& device)
    : refreshed_(refreshed),
      rows_(at::zeros({patches, dimension}, at::TensorOptions(device).dtype(at::kHalf))),
      when_(at::full({patches}, -1, at::TensorOptions(device).dtype(at::kLong))) {}

int64_t DescriptorMemory::bytes(int64_t patches, int64_t dimension) {
  return patches * (dimension * 2 + static_cast<int64_t>(sizeof(int64_t)));
}

int64_t refreshed_classes(int64_t n, double refresh) {
  return std::clamp<int64_t>(static_cast<int64_t>(std::ceil(refresh * static_cast<double>(n))), 1, n);
}

at::Tensor DescriptorMemory::recall(const at::Tensor& numbers, const at::Tensor& iteration,
                                    const std::function<at::Tensor(const at::Tensor&)>& embed) {
  torch::NoGradGuard no_grad;
  const int64_t n = numbers.size(0), k = numbers.size(1), dimension = rows_.size(1);
  const auto age_of = [&] { return when_.index_select(0, numbers.flatten()).view({n, k}).amin(1); };  // (n)

  // Classes whose oldest patch is oldest; among equally old ones the first, on any device.
  const at::Tensor due = age_of().argsort(/*stable=*/true, /*dim=*/0, /*descending=*/false).narrow(0, 0, refreshed_);
  const at::Tensor fresh = embed(due).to(rows_.dtype()).view({refreshed_ * k, dimension});
  const at::Tensor patches = numbers.index_select(0, due).flatten();  // a padded slot repeats the first: the same row
  rows_.index_copy_(0, patches, fresh);
  when_.index_copy_(0, patches, iteration.expand({refreshed_ * k}));

  const at::Tensor known = (age_of() >= 0).view({n, 1, 1});
  const at::Tensor all = rows_.index_select(0, numbers.flatten()).view({n, k, dimension}).to(at::kFloat);
  return at::where(known, all, at::zeros_like(all));
}

}  // namespace adasample
