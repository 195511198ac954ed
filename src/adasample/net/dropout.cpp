// SPDX-License-Identifier: Apache-2.0
#include "adasample/net/dropout.h"

#include <ATen/CPUGeneratorImpl.h>

#include <algorithm>
#include <cmath>

#include "adasample/base/error.h"
#include "adasample/base/parallel.h"
#include "adasample/base/random/rng.h"

namespace adasample {

at::Tensor dropout_mask(const at::Tensor& x, double p, uint64_t key) {
  at::Tensor mask = at::empty_like(x);
  ADA_ASSERT(mask.scalar_type() == at::kFloat && mask.is_cpu() && mask.is_non_overlapping_and_dense());
  float* out = mask.data_ptr<float>();
  const int64_t count = mask.numel();
  const auto limit = static_cast<uint32_t>(std::lround(p * 65536));
  const auto kept = static_cast<float>(1 / (1 - p));
  constexpr int64_t kChunk = 1 << 16;
  const int64_t groups = (count + 3) / 4;
  parallel_for((groups + kChunk - 1) / kChunk, [&](int64_t chunk) {
    for (int64_t group = chunk * kChunk; group < std::min(groups, (chunk + 1) * kChunk); ++group) {  // 16 bits a number
      const uint64_t bits = absorb(key, static_cast<uint64_t>(group));
      for (int64_t i = 4 * group, shift = 0; i < std::min(count, 4 * group + 4); ++i, shift += 16) {
        out[i] = static_cast<uint32_t>(bits >> shift & 0xFFFF) < limit ? 0 : kept;
      }
    }
  });
  return mask;
}

uint64_t dropout_key() {
  auto generator = at::detail::getDefaultCPUGenerator();
  const std::lock_guard lock(generator.mutex());
  return at::check_generator<at::CPUGeneratorImpl>(generator)->random64();
}

at::Tensor DropoutImpl::forward(const at::Tensor& x) {
  if (!is_training() || p_ == 0) return x;
  if (!x.is_cpu() || x.scalar_type() != at::kFloat) return at::dropout(x, p_, /*train=*/true);
  return x * dropout_mask(x, p_, dropout_key());
}

}  // namespace adasample
