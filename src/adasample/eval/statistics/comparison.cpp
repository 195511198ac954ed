// SPDX-License-Identifier: Apache-2.0
#include "adasample/eval/statistics/comparison.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "adasample/base/error.h"
#include "adasample/base/text.h"

namespace adasample {
namespace {

constexpr double kUsualLevel = 0.05;

using Sequences = std::map<std::string, double>;

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::vector<double> values_of(const Sequences& sequences) {
  std::vector<double> values;
  for (const auto& entry : sequences) values.push_back(entry.second);
  return values;
}

void require_same_sequences(const Sequences& of, const std::string& name, const Sequences& other,
                            const std::string& other_name) {
  for (const auto& entry : of) {
    ADA_CHECK(other.contains(entry.first), "[compare] sequence {} has a value in {}, but none in {}",
              shown(entry.first), name, other_name);
  }
}

// All runs of both sides against the first of a.
void require_fitting(const RunValues& a, const RunValues& b) {
  ADA_CHECK(a.sequences.empty() == b.sequences.empty(), "[compare] expected sequences on both sides, found them on {}",
            a.sequences.empty() ? "the second only" : "the first only");
  const auto check_side = [&](const RunValues& side, const char* name) {
    ADA_CHECK(!side.mean.empty() || !side.sequences.empty(), "[compare] expected a run or more on the {} side", name);
    ADA_CHECK(side.mean.empty() || side.sequences.empty() || side.mean.size() == side.sequences.size(),
              "[compare] expected sequences of {} runs on the {} side, found {}", side.mean.size(), name,
              side.sequences.size());
    for (size_t run = 0; run < side.sequences.size(); ++run) {
      const std::string here = fmt::format("run {} of the {} side", run + 1, name), there = "run 1 of the first side";
      ADA_CHECK(!side.sequences[run].empty(), "[compare] {} has no sequence", here);
      require_same_sequences(side.sequences[run], here, a.sequences[0], there);
      require_same_sequences(a.sequences[0], there, side.sequences[run], here);
    }
  };
  check_side(a, "first");
  check_side(b, "second");
}

std::vector<double> run_means(const RunValues& side) {
  if (!side.mean.empty()) return side.mean;
  std::vector<double> means;
  for (const Sequences& run : side.sequences) means.push_back(mean_of(values_of(run)));
  return means;
}

// Mean over the runs of a side, by sequence.
std::vector<double> sequence_means(const RunValues& side) {
  std::vector<double> means(side.sequences[0].size());
  for (const Sequences& run : side.sequences) {
    size_t i = 0;
    for (const auto& entry : run) means[i++] += entry.second / static_cast<double>(side.sequences.size());
  }
  return means;
}

std::vector<double> differences_of(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> differences(a.size());
  std::transform(a.begin(), a.end(), b.begin(), differences.begin(), std::minus<>());
  return differences;
}

std::string plural(size_t count, std::string_view singular) {
  return fmt::format("{} {}{}", count, singular, count == 1 ? "" : "s");
}

void test_pairs(Comparison& comparison, uint64_t seed) {
  const FlipTest test = flip_test(comparison.a, comparison.b, seed);
  comparison.flips = test;
  comparison.p_one_sided = comparison.larger ? test.p_larger : test.p_smaller;
  comparison.p_two_sided = test.p_two_sided;
  comparison.smallest_p = test.smallest_p;
  const std::string pairs = plural(comparison.a.size(), "pair") + " of " + comparison.unit;
  comparison.test =
      fmt::format("sign flips of {}, {}", pairs, test.exact ? "exact" : fmt::format("{} at random", kRandomFlips));
  if (test.smallest_p <= kUsualLevel) return;
  int64_t needed = test.pairs;
  while (smallest_flip_p(needed) > kUsualLevel) ++needed;
  comparison.shortfall = fmt::format("{} cannot reach p = {} two-sided, the smallest possible is {:.3g}: {} are needed",
                                     pairs, kUsualLevel, test.smallest_p, needed);
}

void test_ranks(Comparison& comparison) {
  const RankTest test = mann_whitney(comparison.a, comparison.b);
  comparison.ranks = test;
  comparison.p_one_sided = comparison.larger ? test.p_exact_larger.value_or(test.p_asymptotic_larger)
                                             : test.p_exact.value_or(test.p_asymptotic);
  comparison.p_two_sided = test.p_two_sided;
  comparison.smallest_p = test.smallest_p;
  comparison.test = fmt::format("Mann-Whitney, unpaired, {}", test.p_exact ? "exact" : "asymptotic");
  if (test.smallest_p <= kUsualLevel) return;
  int64_t needed = 1;
  while (smallest_rank_p(needed, needed) > kUsualLevel) ++needed;
  comparison.shortfall = fmt::format(
      "{} against {} cannot reach p = {} two-sided, the smallest possible is {:.3g}: {} against {} would do",
      plural(comparison.a.size(), "run"), comparison.b.size(), kUsualLevel, test.smallest_p, needed, needed);
}

}  // namespace

Comparison compare_runs(const RunValues& a, const RunValues& b, bool paired, const ComparisonOptions& options) {
  options.bootstrap.validate();
  require_fitting(a, b);
  const bool sequences = !a.sequences.empty();
  Comparison comparison;
  comparison.a = run_means(a);
  comparison.b = run_means(b);
  comparison.unit = "runs";
  comparison.paired = paired;
  comparison.larger = options.larger;
  comparison.bootstrap = options.bootstrap;
  if (sequences && comparison.a.size() == 1 && comparison.b.size() == 1) {
    comparison.a = sequence_means(a);
    comparison.b = sequence_means(b);
    comparison.unit = "sequences";
    comparison.paired = true;
  }
  ADA_CHECK(!comparison.paired || comparison.a.size() == comparison.b.size(),
            "[compare] expected as many runs on both sides, to pair them, found {} and {}", comparison.a.size(),
            comparison.b.size());
  if (comparison.paired) {
    test_pairs(comparison, options.bootstrap.seed);
  } else {
    test_ranks(comparison);
  }
  comparison.mean_a = mean_of(comparison.a);
  comparison.mean_b = mean_of(comparison.b);
  comparison.difference = comparison.mean_a - comparison.mean_b;
  comparison.can_reach_005 = comparison.shortfall.empty();

  std::vector<double> differences;
  if (sequences) {
    differences = differences_of(sequence_means(a), sequence_means(b));
  } else if (comparison.paired) {
    differences = differences_of(comparison.a, comparison.b);
  }
  if (differences.size() >= 2) {
    comparison.interval = bootstrap_t(differences, options.bootstrap);
    comparison.interval_of = sequences ? "sequences" : "runs";
  }
  return comparison;
}

Pairing pair_runs(const Seeds& a, const Seeds& b, std::optional<bool> asked) {
  Pairing pairing;
  pairing.b_of_a.resize(b.size());
  std::iota(pairing.b_of_a.begin(), pairing.b_of_a.end(), 0);
  if (asked == false) {
    pairing.why = "as asked for";
    return pairing;
  }
  ADA_USAGE(!asked || a.size() == b.size(), "--paired takes as many values on both sides: {}, {}", a.size(), b.size());
  if (a.size() != b.size()) {
    pairing.why = fmt::format("one side has {}, the other {}", a.size(), b.size());
    return pairing;
  }
  std::set<uint64_t> of_a, of_b;
  bool known = true;
  for (size_t i = 0; i < a.size(); ++i) {
    known = known && a[i] && b[i];
    of_a.insert(a[i].value_or(0));
    of_b.insert(b[i].value_or(0));
  }
  if (known && of_a.size() == a.size() && of_a == of_b) {
    pairing.paired = true;
    pairing.why = fmt::format("both sides have the seed{} {}", of_a.size() == 1 ? "" : "s", fmt::join(of_a, ", "));
    for (size_t i = 0; i < a.size(); ++i) {
      pairing.b_of_a[i] = static_cast<size_t>(std::find(b.begin(), b.end(), a[i]) - b.begin());
    }
    return pairing;
  }
  if (asked) {
    pairing.paired = true;
    pairing.why = "in the order given";
    return pairing;
  }
  pairing.why = !known                    ? "the seeds are not known; --paired pairs in the order given"
                : of_a.size() != a.size() ? "a seed comes twice; --paired pairs in the order given"
                                          : "the seeds differ; --paired pairs in the order given";
  return pairing;
}

RunValues in_order(const RunValues& runs, const std::vector<size_t>& order) {
  RunValues ordered;
  for (const size_t run : order) {
    if (!runs.mean.empty()) ordered.mean.push_back(runs.mean.at(run));
    if (!runs.sequences.empty()) ordered.sequences.push_back(runs.sequences.at(run));
  }
  return ordered;
}

}  // namespace adasample
