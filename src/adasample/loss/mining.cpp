// SPDX-License-Identifier: Apache-2.0
#include "adasample/loss/mining.h"

#include <algorithm>
#include <vector>

namespace adasample {
namespace {

constexpr double kExcluded = -3;  // below every dot product of unit vectors
// Similarities looked at together: a batch is mined in tiles of rows, so that memory grows with n and not with n^2.
constexpr int64_t kTile = int64_t{1} << 24;

// One group of candidates of rows i: stacked row `left + i` against `right + j` for all j; where `swapped` the pair is
// (right + j, left + i), so that the anchor comes first.
struct Block {
  int64_t left, right;
  bool swapped = false;
};

std::vector<Block> candidate_blocks(int64_t n, Negatives negatives) {
  std::vector<Block> blocks;
  if (negatives != Negatives::kCross) blocks.insert(blocks.end(), {{0, 0}, {n, n}});
  if (negatives != Negatives::kEq14) blocks.insert(blocks.end(), {{0, n}, {n, 0, /*swapped=*/true}});
  return blocks;
}

struct Chosen {
  at::Tensor column;        // (rows) in [0, blocks * n)
  at::Tensor fully_masked;  // (rows)
};

// similarity: (rows, candidates), excluded ones filled in already.
Chosen choose(at::Tensor similarity, const MiningOptions& options, const std::optional<at::Tensor>& quantile) {
  at::Tensor fully_masked = at::zeros({similarity.size(0)}, similarity.options().dtype(at::kBool));
  if (options.duplicate_distance > 0) {
    // |x - y| < r  <=>  x . y > 1 - r^2 / 2
    const double limit = 1 - options.duplicate_distance * options.duplicate_distance / 2;
    const at::Tensor masked = similarity.masked_fill(similarity > limit, kExcluded);
    fully_masked = masked.amax(1) == kExcluded;
    similarity = at::where(fully_masked.unsqueeze(1), similarity, masked);
  }
  if (!quantile) return {similarity.argmax(1), fully_masked};
  const auto [ascending, order] = similarity.sort(1);
  const at::Tensor excluded = (similarity == kExcluded).sum(1);  // they lead the ascending order
  const at::Tensor last = similarity.size(1) - 1 - excluded;
  const at::Tensor rank = excluded + (*quantile * last).round().to(at::kLong);
  return {order.gather(1, rank.unsqueeze(1)).squeeze(1), fully_masked};
}

}  // namespace

MinedNegatives mine_negatives(const at::Tensor& stacked_with_gradient, const MiningOptions& options,
                              const std::optional<at::Tensor>& quantile) {
  torch::NoGradGuard no_grad;
  const at::Tensor stacked = stacked_with_gradient.detach();
  const int64_t n = stacked.size(0) / 2;
  const std::vector<Block> blocks = candidate_blocks(n, options.negatives);
  const auto candidates = static_cast<int64_t>(blocks.size()) * n;
  const int64_t tile = std::max<int64_t>(1, std::min(n, kTile / candidates));
  const at::Tensor all = at::arange(n, stacked.options().dtype(at::kLong));

  std::vector<at::Tensor> columns, fully_masked;
  for (int64_t begin = 0; begin < n; begin += tile) {
    const int64_t rows = std::min(tile, n - begin);
    const at::Tensor own = all.narrow(0, begin, rows).unsqueeze(1) == all.unsqueeze(0);  // the pair itself
    at::Tensor similarity = at::empty({rows, candidates}, stacked.options());
    for (size_t b = 0; b < blocks.size(); ++b) {
      at::Tensor part = similarity.narrow(1, static_cast<int64_t>(b) * n, n);
      at::mm_out(part, stacked.narrow(0, blocks[b].left + begin, rows), stacked.narrow(0, blocks[b].right, n).t());
      part.masked_fill_(own, kExcluded);
    }
    const Chosen chosen = choose(similarity, options, quantile);
    columns.push_back(chosen.column);
    fully_masked.push_back(chosen.fully_masked);
  }

  const at::Tensor column = at::cat(columns);
  const at::Tensor block_of = column.div(n, "floor"), j = column.remainder(n);
  MinedNegatives mined{at::zeros_like(all), at::zeros_like(all), at::cat(fully_masked)};
  for (size_t b = 0; b < blocks.size(); ++b) {
    const at::Tensor here = block_of == static_cast<int64_t>(b);
    const at::Tensor left = all + blocks[b].left, right = j + blocks[b].right;
    mined.first = at::where(here, blocks[b].swapped ? right : left, mined.first);
    mined.second = at::where(here, blocks[b].swapped ? left : right, mined.second);
  }
  return mined;
}

}  // namespace adasample
