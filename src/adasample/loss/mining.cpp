// SPDX-License-Identifier: Apache-2.0
#include "adasample/loss/mining.h"

#include <vector>

namespace adasample {
namespace {

constexpr double kExcluded = -3;  // below every dot product of unit vectors

// One group of candidates: similarity(i, j) belongs to the pair (first + i, second + j) of stacked rows, or to
// (first + j, second + i) where `swapped`.
struct Block {
  at::Tensor similarity;  // (n, n)
  bool first_positive, second_positive;
  bool swapped = false;
};

std::vector<Block> candidate_blocks(const at::Tensor& stacked, Negatives negatives) {
  const int64_t n = stacked.size(0) / 2;
  const at::Tensor a = stacked.narrow(0, 0, n), p = stacked.narrow(0, n, n);
  std::vector<Block> blocks;
  if (negatives != Negatives::kCross) {
    blocks.push_back({a.mm(a.t()), false, false});
    blocks.push_back({p.mm(p.t()), true, true});
  }
  if (negatives != Negatives::kEq14) {
    const at::Tensor cross = a.mm(p.t());
    blocks.push_back({cross, false, true});
    blocks.push_back({cross.t(), false, true, /*swapped=*/true});
  }
  return blocks;
}

}  // namespace

MinedNegatives mine_negatives(const at::Tensor& stacked, const MiningOptions& options,
                              const std::optional<at::Tensor>& quantile) {
  torch::NoGradGuard no_grad;
  const int64_t n = stacked.size(0) / 2;
  const std::vector<Block> blocks = candidate_blocks(stacked.detach(), options.negatives);
  std::vector<at::Tensor> parts;
  for (const Block& block : blocks) parts.push_back(block.similarity);
  at::Tensor similarity = at::cat(parts, 1);  // (n, blocks * n)

  const at::Tensor own =
      at::eye(n, similarity.options().dtype(at::kBool)).repeat({1, static_cast<int64_t>(blocks.size())});
  similarity.masked_fill_(own, kExcluded);
  at::Tensor fully_masked = at::zeros({n}, own.options());
  if (options.duplicate_distance > 0) {
    // |x - y| < r  <=>  x . y > 1 - r^2 / 2
    const double limit = 1 - options.duplicate_distance * options.duplicate_distance / 2;
    const at::Tensor masked = similarity.masked_fill(similarity > limit, kExcluded);
    fully_masked = masked.amax(1) == kExcluded;
    similarity = at::where(fully_masked.unsqueeze(1), similarity, masked);
  }

  at::Tensor column;  // (n) in [0, blocks * n)
  if (quantile) {
    const auto [ascending, order] = similarity.sort(1);
    const at::Tensor excluded = (similarity == kExcluded).sum(1);  // they lead the ascending order
    const at::Tensor last = similarity.size(1) - 1 - excluded;
    const at::Tensor rank = excluded + (*quantile * last).round().to(at::kLong);
    column = order.gather(1, rank.unsqueeze(1)).squeeze(1);
  } else {
    column = similarity.argmax(1);
  }

  const at::Tensor block_of = column.div(n, "floor");
  const at::Tensor i = at::arange(n, column.options()), j = column.remainder(n);
  MinedNegatives mined{at::zeros_like(i), at::zeros_like(i), fully_masked};
  for (size_t b = 0; b < blocks.size(); ++b) {
    const at::Tensor here = block_of == static_cast<int64_t>(b);
    const at::Tensor& left = blocks[b].swapped ? j : i;
    const at::Tensor& right = blocks[b].swapped ? i : j;
    mined.first = at::where(here, left + (blocks[b].first_positive ? n : 0), mined.first);
    mined.second = at::where(here, right + (blocks[b].second_positive ? n : 0), mined.second);
  }
  return mined;
}

}  // namespace adasample
