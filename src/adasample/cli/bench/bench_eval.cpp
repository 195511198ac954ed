// SPDX-License-Identifier: Apache-2.0
// adasample bench eval: the two loops that evaluations spend their time in, on made-up descriptors.
#include <fmt/format.h>

#include <cmath>

#include "adasample/base/conventions.h"
#include "adasample/base/error.h"
#include "adasample/base/random/rng.h"
#include "adasample/cli/bench/bench_commands.h"
#include "adasample/eval/descriptors/patch_rows.h"
#include "adasample/eval/pair_scores.h"
#include "adasample/features/match/mutual_matches.h"

namespace adasample {
namespace {

struct EvalBenchArguments {
  int64_t rows = 4000, pairs = 100000;
  int rounds = 3;

  void validate() const {
    ADA_USAGE(rows >= 2 && rows <= 100000, "rows = {}, must be in [2, 100000]", rows);
    ADA_USAGE(pairs >= 1 && pairs <= 10000000, "pairs = {}, must be in [1, 10000000]", pairs);
  }
};

// Unit descriptors; rows [n, 2n) are rows [0, n) with noise, some 40 degrees off, as views of a point are.
std::vector<float> made_up_rows(int64_t n, uint64_t seed) {
  constexpr double kNoise = 0.8;
  std::vector<float> rows(static_cast<size_t>(2 * n * kDescriptorSize));
  RngStream rng(RngKey(seed, Draw::kPairs));
  const auto row = [&](int64_t i) { return rows.data() + i * kDescriptorSize; };
  for (int64_t i = 0; i < 2 * n; ++i) {
    double squares = 0, values[kDescriptorSize];
    for (int d = 0; d < kDescriptorSize; ++d) {
      values[d] = rng.normal() / std::sqrt(kDescriptorSize);
      if (i >= n) values[d] = row(i - n)[d] + kNoise * values[d];
      squares += values[d] * values[d];
    }
    for (int d = 0; d < kDescriptorSize; ++d) row(i)[d] = static_cast<float>(values[d] / std::sqrt(squares));
  }
  return rows;
}

// As many positives as negatives, `pairs` each.
PatchPairs made_up_pairs(int64_t rows, int64_t pairs) {
  PatchPairs made;
  for (int64_t i = 0; i < pairs; ++i) made.add(i % rows, rows + (i % rows + 1 + i / rows % (rows - 1)) % rows, false);
  for (int64_t i = 0; i < pairs; ++i) made.add(i % rows, rows + i % rows, true);
  return made;
}

int bench_eval(const EvalBenchArguments& a, const Context& context) {
  a.validate();
  const std::vector<float> rows = made_up_rows(a.rows, context.seed);
  const PatchRows by_number{kDescriptorSize, [&](std::span<const int64_t> numbers, Progress&) {
                              std::vector<float> some;
                              some.reserve(numbers.size() * kDescriptorSize);
                              for (const int64_t number : numbers) {
                                const auto from = rows.begin() + number * kDescriptorSize;
                                some.insert(some.end(), from, from + kDescriptorSize);
                              }
                              return some;
                            }};
  const PatchPairs pairs = made_up_pairs(a.rows, a.pairs);
  PairScores scores;
  const double verifying =
      median_seconds(a.rounds, [&] { scores = score_pairs(pairs.labels, measure_pairs(pairs, by_number)); });
  const auto half = rows.size() / 2;
  size_t matches = 0;
  const double matching = median_seconds(a.rounds, [&] {
    matches = mutual_matches(std::span(rows).first(half), std::span(rows).last(half), kDescriptorSize).size();
  });
  const auto n = static_cast<double>(a.rows), all_pairs = 2 * static_cast<double>(a.pairs);
  context.show({{"rows", a.rows},
                {"verification",
                 {{"pairs", 2 * a.pairs},
                  {"seconds", verifying},
                  {"pairs_per_s", all_pairs / verifying},
                  {"fpr95", scores.fpr95.value}}},
                {"matching",
                 {{"seconds", matching},
                  {"descriptors_per_s", 2 * n / matching},
                  {"distances_per_s", 2 * n * n / matching},
                  {"matches", matches}}}},
               fmt::format("FPR95, AP and AUC of {} pairs: {:.3g} s, {:.3g} million pairs/s\n"
                           "mutual nearest neighbours of {} and {} descriptors: {:.3g} s, {:.3g} million distances/s",
                           2 * a.pairs, verifying, all_pairs / verifying / 1e6, a.rows, a.rows, matching,
                           2 * n * n / matching / 1e6));
  return 0;
}

}  // namespace

void add_bench_eval(CLI::App& bench, Context& context) {
  CLI::App* command = add_command(bench, "eval", "Pairs scored and nearest neighbours found a second",
                                  "  adasample bench eval\n  adasample bench eval --rows 20000 --threads 1\n");
  auto a = std::make_shared<EvalBenchArguments>();
  command->add_option("--rows", a->rows, "Descriptors on each side of a matching")->capture_default_str();
  command->add_option("--pairs", a->pairs, "Pairs of each kind to verify")->capture_default_str();
  command->add_option("--rounds", a->rounds, "Repetitions; the median counts")->capture_default_str();
  command->callback([&context, a] { context.action = [&context, a] { return bench_eval(*a, context); }; });
}

}  // namespace adasample
