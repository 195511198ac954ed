// SPDX-License-Identifier: Apache-2.0
#include "adasample/net/dropout.h"

#include <ATen/CPUGeneratorImpl.h>

#include <algorithm>
#include <cmath>

#include "adasample/base/error.h"
#include "adasample/base/parallel.h"
#include "adasample/base/random/rng.h"

namespace adasample {

at::Tensor dropout_mask(const at::Tensor& x, double p, uint64_t key, const std::vector<int64_t>& rows) {
  at::Tensor mask = at::empty_like(x);
  ADA_ASSERT(mask.scalar_type() == at::kFloat && mask.is_cpu() && mask.is_non_overlapping_and_dense());
  ADA_ASSERT(rows.empty() || static_cast<int64_t>(rows.size()) == x.size(0));
  const auto limit = static_cast<uint32_t>(std::lround(p * 65536));
  const auto kept = static_cast<float>(1 / (1 - p));
  // Numbers [begin, begin + count) of the batch's mask, 16 bits each, four to a hash.
  const auto fill = [&](float* out, int64_t begin, int64_t count) {
    for (int64_t group = begin / 4; 4 * group < begin + count; ++group) {
      const uint64_t bits = absorb(key, static_cast<uint64_t>(group));
      for (int64_t i = std::max(begin, 4 * group); i < std::min(begin + count, 4 * group + 4); ++i) {
        out[i - begin] = static_cast<uint32_t>(bits >> 16 * (i - 4 * group) & 0xFFFF) < limit ? 0 : kept;
      }
    }
  };
  float* out = mask.data_ptr<float>();
  const int64_t count = mask.numel();
  if (rows.empty()) {
    constexpr int64_t kChunk = 1 << 18;
    parallel_for((count + kChunk - 1) / kChunk, [&](int64_t chunk) {
      fill(out + chunk * kChunk, chunk * kChunk, std::min(kChunk, count - chunk * kChunk));
    });
    return mask;
  }
  const int64_t row = count / std::max<int64_t>(1, x.size(0));
  ADA_ASSERT(x.size(0) <= 1 || mask.stride(0) == row);
  parallel_for(x.size(0), [&](int64_t i) { fill(out + i * row, rows[static_cast<size_t>(i)] * row, row); });
  return mask;
}

uint64_t dropout_key() {
  auto generator = at::detail::getDefaultCPUGenerator();
  const std::lock_guard lock(generator.mutex());
  return at::check_generator<at::CPUGeneratorImpl>(generator)->random64();
}

at::Tensor DropoutImpl::forward(const at::Tensor& x, const std::vector<int64_t>& rows) {
  if (!is_training() || p_ == 0) return x;
  const bool here = x.is_cpu() && x.scalar_type() == at::kFloat;
  if (here) return x * dropout_mask(x, p_, dropout_key(), rows);
  if (rows.empty()) return at::dropout(x, p_, /*train=*/true);
  // Of some rows of a batch: those of the batch's mask, wherever the numbers are.
  const at::Tensor like = at::empty(x.sizes(), at::TensorOptions(at::kFloat), x.suggest_memory_format());
  return x * dropout_mask(like, p_, dropout_key(), rows).to(x.options());
}

}  // namespace adasample
