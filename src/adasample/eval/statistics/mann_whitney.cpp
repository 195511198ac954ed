// SPDX-License-Identifier: Apache-2.0
#include "adasample/eval/statistics/mann_whitney.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "adasample/base/error.h"

namespace adasample {
namespace {

// Equal values of the pooled sample.
struct Group {
  int64_t of_a = 0, of_b = 0;
  int64_t size() const { return of_a + of_b; }
};

std::vector<Group> tied_groups(std::span<const double> a, std::span<const double> b) {
  struct Value {
    double value;
    bool is_a;
  };
  std::vector<Value> pooled;
  for (const double value : a) pooled.push_back({value, true});
  for (const double value : b) pooled.push_back({value, false});
  std::sort(pooled.begin(), pooled.end(), [](const Value& l, const Value& r) { return l.value < r.value; });
  std::vector<Group> groups;
  for (size_t i = 0; i < pooled.size(); ++i) {
    if (i == 0 || pooled[i].value != pooled[i - 1].value) groups.emplace_back();
    ++(pooled[i].is_a ? groups.back().of_a : groups.back().of_b);
  }
  return groups;
}

// What a group adds to 2 U when j of its values are a's, and `below` of b's lie below it.
int64_t twice_u(int64_t j, int64_t group, int64_t below) { return 2 * j * below + j * (group - j); }

int64_t twice_u(const std::vector<Group>& groups) {
  int64_t sum = 0, below = 0;
  for (const Group& group : groups) {
    sum += twice_u(group.of_a, group.size(), below);
    below += group.of_b;
  }
  return sum;
}

// Of all choices of n of the pooled values.
struct Shares {
  double as_small = 0, as_large = 0;
};

// The shares whose 2 U is no more, and no less, than `found`, group by group. ways[k][u]: choices of k values so far
// with 2 U = u, as doubles: 100 over 50 is 1e29.
Shares exact_shares(const std::vector<Group>& groups, int64_t n, int64_t m, int64_t found) {
  const auto width = static_cast<size_t>(2 * n * m + 1);
  std::vector<std::vector<double>> ways(static_cast<size_t>(n + 1), std::vector<double>(width));
  ways[0][0] = 1;
  int64_t seen = 0;
  for (const Group& group : groups) {
    std::vector<std::vector<double>> next(ways.size(), std::vector<double>(width));
    for (int64_t k = std::max<int64_t>(0, seen - m); k <= std::min(n, seen); ++k) {
      double choices = 1;  // group.size() over j
      const int64_t last = std::min(n - k, group.size());
      for (int64_t j = 0; j <= last; ++j) {
        if (seen - k + group.size() - j <= m) {
          const auto shift = static_cast<size_t>(twice_u(j, group.size(), seen - k));
          const std::vector<double>& from = ways[static_cast<size_t>(k)];
          std::vector<double>& to = next[static_cast<size_t>(k + j)];
          for (size_t u = 0; u + shift < width; ++u) to[u + shift] += choices * from[u];
        }
        choices = choices * static_cast<double>(group.size() - j) / static_cast<double>(j + 1);
      }
    }
    ways.swap(next);
    seen += group.size();
  }
  Shares shares;
  double all = 0;
  for (size_t u = 0; u < width; ++u) {
    all += ways.back()[u];
    if (static_cast<int64_t>(u) <= found) shares.as_small += ways.back()[u];
    if (static_cast<int64_t>(u) >= found) shares.as_large += ways.back()[u];
  }
  return {shares.as_small / all, shares.as_large / all};
}

double lower_tail(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }

// At most 1, whatever is rounded.
double two_sided(double smaller, double larger) { return std::min(1.0, 2 * std::min(smaller, larger)); }

}  // namespace

double smallest_rank_p(int64_t n, int64_t m) {
  double p = 2;
  for (int64_t i = 1; i <= n; ++i) p *= static_cast<double>(i) / static_cast<double>(m + i);
  return std::min(1.0, p);
}

RankTest mann_whitney(std::span<const double> a, std::span<const double> b) {
  ADA_CHECK(!a.empty() && !b.empty(), "[compare] expected values on both sides, found {} and {}", a.size(), b.size());
  for (const std::span<const double> side : {a, b}) {
    ADA_CHECK(std::none_of(side.begin(), side.end(), [](double v) { return std::isnan(v); }),
              "[compare] one of the values is not a number");
  }
  std::vector<Group> groups = tied_groups(a, b);
  const auto n = static_cast<int64_t>(a.size()), m = static_cast<int64_t>(b.size()), all = n + m;
  const int64_t u2 = twice_u(groups);
  RankTest test;
  test.u = static_cast<double>(u2) / 2;
  for (const Group& group : groups) test.tie_sum += group.size() * (group.size() * group.size() - 1);
  if (n * m <= kMostExactPairs && all <= kMostExactValues) {
    // The table has a row for each value of the first side, so that is to be the smaller one. From the largest value
    // down, b stands to a as a did to b: U stays.
    if (n > m) std::reverse(groups.begin(), groups.end());
    const Shares shares = exact_shares(groups, std::min(n, m), std::max(n, m), u2);
    test.p_exact = shares.as_small;
    test.p_exact_larger = shares.as_large;
    test.p_two_sided = two_sided(shares.as_small, shares.as_large);
  }
  test.smallest_p = smallest_rank_p(n, m);

  const double pairs = static_cast<double>(n) * static_cast<double>(m);
  const double ties = static_cast<double>(test.tie_sum) / (static_cast<double>(all) * static_cast<double>(all - 1));
  const double s = std::sqrt(pairs / 12 * (static_cast<double>(all + 1) - ties));
  const double away = test.u - pairs / 2;
  test.p_asymptotic = lower_tail((away + 0.5) / s);  // of + infinity when all are equal
  test.p_asymptotic_larger = lower_tail((0.5 - away) / s);
  if (!test.p_exact) test.p_two_sided = two_sided(test.p_asymptotic, test.p_asymptotic_larger);
  test.cliffs_delta = 2 * test.u / pairs - 1;
  return test;
}

}  // namespace adasample
