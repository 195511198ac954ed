// SPDX-License-Identifier: Apache-2.0
#include "adasample/experiment/reproduce/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "adasample/base/error.h"
#include "adasample/eval/statistics/mann_whitney.h"
#include "adasample/eval/statistics/sign_flips.h"

namespace adasample {
namespace {

Verdict verdict_of(double p_claimed, double p_other) {
  if (p_claimed < kSignificant) return Verdict::kHolds;
  return p_other < kSignificant ? Verdict::kDoesNotHold : Verdict::kCannotTell;
}

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

Claim by_pairs(std::string text, std::span<const double> a, std::span<const double> b, bool larger) {
  if (a.empty() || a.size() != b.size())
    return {std::move(text), Verdict::kCannotTell, "there are no pairs to compare"};
  const FlipTest test = flip_test(a, b);
  const double claimed = larger ? test.p_larger : test.p_smaller, other = larger ? test.p_smaller : test.p_larger;
  size_t as_claimed = 0;
  for (size_t i = 0; i < a.size(); ++i) as_claimed += larger ? a[i] > b[i] : a[i] < b[i];
  return {std::move(text), verdict_of(claimed, other),
          fmt::format("so in {} of {}; mean {:.3f} against {:.3f}; sign flips, one-sided p {:.3f}", as_claimed,
                      a.size(), mean_of(a), mean_of(b), claimed)};
}

}  // namespace

std::string to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::kHolds:
      return "holds";
    case Verdict::kDoesNotHold:
      return "does not hold";
    case Verdict::kCannotTell:
      return "cannot tell";
  }
  ADA_THROW_KIND(kBug, "unknown Verdict");
}

Claim smaller_by_pairs(std::string text, std::span<const double> a, std::span<const double> b) {
  return by_pairs(std::move(text), a, b, /*larger=*/false);
}
Claim larger_by_pairs(std::string text, std::span<const double> a, std::span<const double> b) {
  return by_pairs(std::move(text), a, b, /*larger=*/true);
}

Claim smaller_by_ranks(std::string text, std::span<const double> a, std::span<const double> b) {
  if (a.size() < 2 || b.size() < 2) return {std::move(text), Verdict::kCannotTell, "fewer than two runs a side"};
  const RankTest test = mann_whitney(a, b);
  const double smaller = test.p_exact.value_or(test.p_asymptotic),
               larger = test.p_exact_larger.value_or(test.p_asymptotic_larger);
  return {std::move(text), verdict_of(smaller, larger),
          fmt::format("mean {:.3f} against {:.3f}; Mann-Whitney, exact one-sided p {:.3f}", mean_of(a), mean_of(b),
                      smaller)};
}

Claim larger_by_p(std::string text, double difference, double p_two_sided) {
  Verdict verdict = Verdict::kCannotTell;
  if (p_two_sided < kSignificant) verdict = difference > 0 ? Verdict::kHolds : Verdict::kDoesNotHold;
  return {std::move(text), verdict, fmt::format("difference {:+.2f}, two-sided p {:.3f}", difference, p_two_sided)};
}

}  // namespace adasample
