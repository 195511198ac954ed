// SPDX-License-Identifier: Apache-2.0
#include "adasample/eval/statistics/comparison_report.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace adasample {
namespace {

std::string bound(double value) { return std::isfinite(value) ? fmt::format("{:.6g}", value) : "no bound"; }

nlohmann::ordered_json bound_json(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json();
}

template <typename T>
nlohmann::ordered_json json_or_null(const std::optional<T>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
}

}  // namespace

std::string comparison_text(const Comparison& c, const std::string& why) {
  std::string text = fmt::format("a: {} values, mean {:.6g}; b: {} values, mean {:.6g}; a - b {:.6g}\n", c.a.size(),
                                 c.mean_a, c.b.size(), c.mean_b, c.difference);
  text += fmt::format("{}{}{}\n", c.paired ? "paired" : "unpaired", why.empty() ? "" : ": ", why);
  text += fmt::format("a {} than b: p {:.6g}; a and b differ: p {:.6g}; by {}", c.larger ? "larger" : "smaller",
                      c.p_one_sided, c.p_two_sided, c.test);
  if (c.ranks) text += fmt::format("; U {}, Cliff's delta {:+.3f}", c.ranks->u, c.ranks->cliffs_delta);
  if (!c.shortfall.empty()) text += "\n" + c.shortfall;
  if (c.unit == "sequences") text += "\none run a side: nothing is said of other seeds";
  if (c.interval) {
    text += fmt::format("\na - b over {}: {:.6g}, {:g} % interval [{}, {}]", c.interval_of, c.interval->difference,
                        100 * c.bootstrap.level, bound(c.interval->low), bound(c.interval->high));
  } else if (c.paired) {
    text += "\na - b: one pair has no interval";
  }
  return text;
}

nlohmann::ordered_json comparison_json(const Comparison& c, const std::string& why) {
  using Json = nlohmann::ordered_json;
  const char* side = c.larger ? "greater" : "less";
  Json object = {
      {"protocol", "comparison"},
      {"definition",
       {{"p_one_sided", fmt::format("a {} than b, by the test named", side)},
        {"p_two_sided", "a and b differ, by the same test"},
        {"smallest_p", "the smallest two-sided p that so many values can reach"},
        {"p_exact",
         fmt::format("one-sided Mann-Whitney, a {}: all ways to deal out the values, ties as they are", side)},
        {"p_asymptotic", "the same: normal, corrected for continuity and ties"},
        {"cliffs_delta", "P(a > b) - P(a < b)"},
        {"bootstrap", "bootstrap-t of the mean of a - b"}}},
      {"values", {{"of", c.unit}, {"a", c.a}, {"b", c.b}}},
      {"mean", {{"a", c.mean_a}, {"b", c.mean_b}}},
      {"difference", c.difference},
      {"paired", c.paired},
      {"pairing", why},
      {"test", c.test},
      {"alternative", side},
      {"p_one_sided", c.p_one_sided},
      {"p_two_sided", c.p_two_sided},
      {"smallest_p", c.smallest_p},
      {"can_reach_005", c.can_reach_005},
      {"shortfall", c.shortfall.empty() ? Json() : Json(c.shortfall)}};
  for (const char* key : {"u", "p_exact", "p_asymptotic", "cliffs_delta", "tie_sum", "bootstrap"})
    object[key] = nullptr;
  if (c.ranks) {
    object["u"] = c.ranks->u;
    object["p_exact"] = json_or_null(c.larger ? c.ranks->p_exact_larger : c.ranks->p_exact);
    object["p_asymptotic"] = c.larger ? c.ranks->p_asymptotic_larger : c.ranks->p_asymptotic;
    object["cliffs_delta"] = c.ranks->cliffs_delta;
    object["tie_sum"] = c.ranks->tie_sum;
  }
  if (c.interval) {
    object["bootstrap"] = {{"of", c.interval_of},
                           {"difference", c.interval->difference},
                           {"low", bound_json(c.interval->low)},
                           {"high", bound_json(c.interval->high)},
                           {"level", c.bootstrap.level},
                           {"resamples", c.bootstrap.resamples},
                           {"seed", c.bootstrap.seed}};
  }
  return object;
}

}  // namespace adasample
