// SPDX-License-Identifier: Apache-2.0
#include "adasample/loss/mining.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "adasample/base/error.h"
#include "adasample/loss/loss.h"

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

// What the rows of a tile are chosen by.
struct Rule {
  const MiningOptions& options;
  const std::optional<at::Tensor>& quantile;
  at::Tensor own;    // (rows) similarity of the pair itself
  at::Tensor noise;  // (rows)
  int64_t dimension;
};

at::Tensor choose_semi_hard(const at::Tensor& similarity, const at::Tensor& own) {
  const at::Tensor beyond = similarity.masked_fill(similarity >= own.unsqueeze(1), kExcluded);
  const at::Tensor farthest = similarity.masked_fill(similarity == kExcluded, -kExcluded).argmin(1);
  return at::where(beyond.amax(1) == kExcluded, farthest, beyond.argmax(1));
}

at::Tensor choose_by_distance(const at::Tensor& similarity, const at::Tensor& noise, int64_t dimension) {
  const at::Tensor candidate = similarity != kExcluded;
  const at::Tensor log_weight = log_distance_weight(similarity, dimension)
                                    .masked_fill(candidate.logical_not(), -std::numeric_limits<double>::infinity());
  const at::Tensor largest = log_weight.amax(1, /*keepdim=*/true);
  // Where all lie beyond the cut, one uniformly.
  const at::Tensor weight = at::where(largest.isinf(), candidate.to(at::kDouble), (log_weight - largest).exp());
  const at::Tensor cumulative = weight.cumsum(1), total = cumulative.select(1, weight.size(1) - 1);
  const at::Tensor target = at::minimum(noise * total, total * (1 - std::numeric_limits<double>::epsilon()));
  return (cumulative <= target.unsqueeze(1)).sum(1);
}

// similarity: (rows, candidates), excluded ones filled in already.
Chosen choose(at::Tensor similarity, const Rule& rule) {
  const MiningOptions& options = rule.options;
  const std::optional<at::Tensor>& quantile = rule.quantile;
  at::Tensor fully_masked = at::zeros({similarity.size(0)}, similarity.options().dtype(at::kBool));
  if (options.duplicate_distance > 0) {
    // |x - y| < r  <=>  x . y > 1 - r^2 / 2
    const double limit = 1 - options.duplicate_distance * options.duplicate_distance / 2;
    const at::Tensor masked = similarity.masked_fill(similarity > limit, kExcluded);
    fully_masked = masked.amax(1) == kExcluded;
    similarity = at::where(fully_masked.unsqueeze(1), similarity, masked);
  }
  if (!quantile) {
    switch (options.choice) {
      case NegativeChoice::kClosest:
        return {similarity.argmax(1), fully_masked};
      case NegativeChoice::kSemiHard:
        return {choose_semi_hard(similarity, rule.own), fully_masked};
      case NegativeChoice::kDistanceWeighted:
        return {choose_by_distance(similarity, rule.noise, rule.dimension), fully_masked};
    }
    ADA_THROW_KIND(kBug, "unknown NegativeChoice");
  }
  const auto [ascending, order] = similarity.sort(1);
  const at::Tensor excluded = (similarity == kExcluded).sum(1);  // they lead the ascending order
  const at::Tensor last = similarity.size(1) - 1 - excluded;
  const at::Tensor rank = excluded + (*quantile * last).round().to(at::kLong);
  return {order.gather(1, rank.unsqueeze(1)).squeeze(1), fully_masked};
}

}  // namespace

MinedNegatives mine_negatives(const at::Tensor& stacked_with_gradient, const MiningOptions& options,
                              const std::optional<at::Tensor>& quantile, const at::Tensor& noise) {
  torch::NoGradGuard no_grad;
  const at::Tensor stacked = stacked_with_gradient.detach();
  const int64_t n = stacked.size(0) / 2;
  const std::vector<Block> blocks = candidate_blocks(n, options.negatives);
  const auto candidates = static_cast<int64_t>(blocks.size()) * n;
  const int64_t tile = std::max<int64_t>(1, std::min(n, kTile / candidates));
  const at::Tensor all = at::arange(n, stacked.options().dtype(at::kLong));

  ADA_ASSERT(options.choice != NegativeChoice::kDistanceWeighted || noise.defined());
  at::Tensor own_similarity;
  if (options.choice == NegativeChoice::kSemiHard) {
    own_similarity = (stacked.narrow(0, 0, n) * stacked.narrow(0, n, n)).sum(1);
  }
  const auto rows_of = [](const at::Tensor& all_rows, int64_t begin, int64_t rows) {
    return all_rows.defined() ? all_rows.narrow(0, begin, rows) : all_rows;
  };
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
    const Chosen chosen = choose(similarity, {options, quantile, rows_of(own_similarity, begin, rows),
                                              rows_of(noise, begin, rows), stacked.size(1)});
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

at::Tensor log_distance_weight(const at::Tensor& similarity, int64_t dimension) {
  constexpr double kNear = 0.5, kFar = 1.4;
  const auto size = static_cast<double>(dimension);
  const at::Tensor d = (2 - 2 * similarity.to(at::kDouble)).clamp_min(0).sqrt(), cut = d.clamp(kNear, kFar);
  const at::Tensor log_q = (size - 2) * cut.log() + (size - 3) / 2 * (1 - cut.square() / 4).log();
  return (-log_q).masked_fill(d > kFar, -std::numeric_limits<double>::infinity());
}

MinedPairs mine_pairs(const LossInput& input, const MiningOptions& options) {
  const at::Tensor stacked = input.descriptors.narrow(0, 0, 2 * input.classes());
  const MinedNegatives mined = mine_negatives(stacked, options, input.quantile, input.noise);
  return {smooth_distance(input.member(0), input.member(1)),
          smooth_distance(stacked.index_select(0, mined.first), stacked.index_select(0, mined.second)),
          mined.fully_masked};
}

}  // namespace adasample
