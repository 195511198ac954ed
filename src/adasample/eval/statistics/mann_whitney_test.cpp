// SPDX-License-Identifier: Apache-2.0
#include "adasample/eval/statistics/mann_whitney.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "adasample/base/random/rng.h"
#include "tests/support/expect_error.h"
#include "tests/support/golden.h"

namespace adasample {
namespace {

using testing::expect_error;
using testing::golden;
using Sample = std::vector<double>;

// scipy's exact p passes over ties, so it is compared where there are none.
TEST(MannWhitney, GoldenFiguresOfScipy) {
  int without_ties = 0;
  const auto cases = golden("mannwhitney/expected.json");
  for (const auto& [name, expected] : cases.items()) {
    if (name[0] == '_') continue;
    SCOPED_TRACE(name);
    const Sample x = expected["x"], y = expected["y"];
    const RankTest less = mann_whitney(x, y), greater = mann_whitney(y, x);
    EXPECT_EQ(less.u, expected["u"].get<double>());
    EXPECT_NEAR(less.p_asymptotic, expected["asymptotic_less"].get<double>(), 1e-12);
    EXPECT_NEAR(greater.p_asymptotic, expected["asymptotic_greater"].get<double>(), 1e-12);
    EXPECT_EQ(less.p_asymptotic_larger, greater.p_asymptotic);
    if (less.tie_sum != 0) continue;
    ++without_ties;
    EXPECT_NEAR(less.p_exact.value(), expected["exact_less"].get<double>(), 1e-12);
    EXPECT_NEAR(greater.p_exact.value(), expected["exact_greater"].get<double>(), 1e-12);
    EXPECT_NEAR(less.p_exact_larger.value(), *greater.p_exact, 1e-15);
    EXPECT_NEAR(less.p_two_sided, std::min(1.0, 2 * std::min(*less.p_exact, *greater.p_exact)), 1e-12);
    EXPECT_EQ(less.p_two_sided, greater.p_two_sided);
  }
  EXPECT_GT(without_ties, 25);
}

// U as it is defined.
double count_u(const Sample& a, const Sample& b) {
  double u = 0;
  for (const double x : a) {
    for (const double y : b) u += x > y ? 1 : x == y ? 0.5 : 0;
  }
  return u;
}

// The share of all ways to deal out the pooled values that give as small a U.
double deal_out(const Sample& a, const Sample& b) {
  Sample pooled = a;
  pooled.insert(pooled.end(), b.begin(), b.end());
  const double u = count_u(a, b);
  int all = 0, as_small = 0;
  for (uint32_t choice = 0; choice < 1u << pooled.size(); ++choice) {
    if (std::popcount(choice) != static_cast<int>(a.size())) continue;
    Sample some, others;
    for (size_t i = 0; i < pooled.size(); ++i) (choice >> i & 1 ? some : others).push_back(pooled[i]);
    ++all;
    as_small += count_u(some, others) <= u ? 1 : 0;
  }
  return static_cast<double>(as_small) / all;
}

TEST(MannWhitney, ExactIsTheCountOfAllDealsWithAndWithoutTies) {
  RngStream rng(RngKey(5, Draw::kPairs));
  for (int trial = 0; trial < 60; ++trial) {
    const int64_t kinds = trial % 2 == 0 ? 4 : 1000;  // few values: many ties
    Sample a(static_cast<size_t>(1 + rng.index(5))), b(static_cast<size_t>(1 + rng.index(6)));
    for (double& v : a) v = static_cast<double>(rng.index(kinds));
    for (double& v : b) v = static_cast<double>(rng.index(kinds));
    const RankTest test = mann_whitney(a, b);
    EXPECT_EQ(test.u, count_u(a, b));
    EXPECT_NEAR(test.p_exact.value(), deal_out(a, b), 1e-12);
    EXPECT_NEAR(test.p_two_sided, std::min(1.0, 2 * std::min(deal_out(a, b), deal_out(b, a))), 1e-12);
    EXPECT_NEAR(test.cliffs_delta, 2 * test.u / static_cast<double>(a.size() * b.size()) - 1, 1e-15);
    EXPECT_NEAR(mann_whitney(b, a).cliffs_delta, -test.cliffs_delta, 1e-15);
  }
}

// Calls visit(a, b) for every order of five against five values, ties included: 26928 of them.
void each_order(const std::function<void(const Sample&, const Sample&)>& visit) {
  Sample a, b;
  const std::function<void(int, int, int)> next = [&](int left_a, int left_b, int value) {
    if (left_a == 0 && left_b == 0) return visit(a, b);
    for (int of_a = 0; of_a <= left_a; ++of_a) {
      for (int of_b = of_a == 0 ? 1 : 0; of_b <= left_b; ++of_b) {
        a.insert(a.end(), static_cast<size_t>(of_a), value);
        b.insert(b.end(), static_cast<size_t>(of_b), value);
        next(left_a - of_a, left_b - of_b, value + 1);
        a.resize(a.size() - static_cast<size_t>(of_a));
        b.resize(b.size() - static_cast<size_t>(of_b));
      }
    }
  };
  next(5, 5, 0);
}

// Which U and T give each p of the paper's Table 3, of five runs against five. All have an order without ties, or with
// the few that steps of 0.002 % make, but ND -> Lib: 0.031 needs ties of four, three and two among the ten values.
TEST(MannWhitney, TableThreeOfThePaperButOneValue) {
  using Places = std::set<std::pair<double, int64_t>>;
  std::map<std::string, Places> reached;
  int orders = 0;
  each_order([&](const Sample& a, const Sample& b) {
    const RankTest test = mann_whitney(a, b);
    reached[fmt::format("{:.3f}", test.p_asymptotic)].emplace(test.u, test.tie_sum);
    ++orders;
  });
  EXPECT_EQ(orders, 26928);
  const auto table = golden("mannwhitney/paper_table3.json");
  for (const auto& [p, places] : table.items()) {
    for (const auto& place : places.get<Places>()) EXPECT_TRUE(reached[p].contains(place)) << p;
  }
  const Places misprint = {{3.5, 90}};
  EXPECT_EQ(reached["0.031"], misprint);
  for (const char* p : {"0.018", "0.006", "0.030", "0.011"}) EXPECT_EQ(reached[p].begin()->second, 0) << p;
  EXPECT_TRUE(reached["0.337"].contains({10, 12}));  // two tied pairs
}

// All of a below b: no deal says more. 3 against 3 can be dealt out in 20 ways, 5 against 2 in 21.
TEST(MannWhitney, SmallestP) {
  for (const auto& [n, m, p] :
       {std::tuple(3, 3, 2.0 / 20), {2, 5, 2.0 / 21}, {5, 2, 2.0 / 21}, {1, 1, 1.0}, {4, 4, 2.0 / 70}}) {
    const RankTest test = mann_whitney(Sample(static_cast<size_t>(n), 1.0), Sample(static_cast<size_t>(m), 2.0));
    EXPECT_NEAR(test.smallest_p, p, 1e-15);
    EXPECT_NEAR(test.p_two_sided, p, 1e-15);
    EXPECT_EQ(smallest_rank_p(n, m), test.smallest_p);
  }
}

TEST(MannWhitney, ManyValues) {
  Sample a, b;
  for (int i = 0; i < 400; ++i) a.push_back(i);
  for (int i = 0; i < 300; ++i) b.push_back(i + 100.5);
  const RankTest test = mann_whitney(a, b);
  EXPECT_FALSE(test.p_exact);
  EXPECT_EQ(test.u, 300 * 299 / 2);
  EXPECT_LT(test.p_asymptotic, 1e-8);
  EXPECT_EQ(test.p_two_sided, 2 * test.p_asymptotic);
  EXPECT_EQ(test.p_two_sided, mann_whitney(b, a).p_two_sided);
  EXPECT_EQ(mann_whitney(Sample(400, 1.0), Sample(300, 1.0)).p_two_sided, 1) << "all are equal";
  EXPECT_TRUE(mann_whitney(Sample(50, 1.0), Sample(50, 2.0)).p_exact);
}

// Few against many: as quick from either side. The one value is below `i` of m others, and above the rest.
TEST(MannWhitney, OneAgainstMany) {
  Sample many;
  for (int i = 0; i < 999; ++i) many.push_back(i);
  const Sample one = {9.5};
  EXPECT_NEAR(mann_whitney(one, many).p_exact.value(), 11.0 / 1000, 1e-12);
  EXPECT_NEAR(mann_whitney(many, one).p_exact.value(), 990.0 / 1000, 1e-12);
  many.resize(2500, 1e9);
  EXPECT_FALSE(mann_whitney(many, one).p_exact);
  EXPECT_FALSE(mann_whitney(one, many).p_exact);
}

TEST(MannWhitney, BadInput) {
  const Sample none, one = {1}, bad = {1, std::numeric_limits<double>::quiet_NaN()};
  expect_error([&] { mann_whitney(none, one); }, "[compare]", "0 and 1");
  expect_error([&] { mann_whitney(one, bad); }, "[compare]", "not a number");
}

}  // namespace
}  // namespace adasample
