// SPDX-License-Identifier: Apache-2.0
#include "adasample/loss/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "adasample/base/error.h"

namespace adasample {

std::string_view to_string(Negatives negatives) {
  switch (negatives) {
    case Negatives::kEq14:
      return "eq14";
    case Negatives::kCross:
      return "cross";
    case Negatives::kAll:
      return "all";
  }
  ADA_THROW_KIND(kBug, "unknown Negatives");
}

std::vector<std::string> negatives_names() { return {"eq14", "cross", "all"}; }

Negatives parse_negatives(std::string_view name) {
  for (const Negatives n : {Negatives::kEq14, Negatives::kCross, Negatives::kAll}) {
    if (to_string(n) == name) return n;
  }
  ADA_THROW_KIND(kUsage, "negatives = '{}', must be eq14, cross or all", name);
}

std::string_view to_string(NegativeChoice choice) {
  switch (choice) {
    case NegativeChoice::kClosest:
      return "closest";
    case NegativeChoice::kSemiHard:
      return "semi-hard";
    case NegativeChoice::kDistanceWeighted:
      return "distance-weighted";
  }
  ADA_THROW_KIND(kBug, "unknown NegativeChoice");
}

std::vector<std::string> negative_choice_names() { return {"closest", "semi-hard", "distance-weighted"}; }

NegativeChoice parse_negative_choice(std::string_view name) {
  for (const NegativeChoice c :
       {NegativeChoice::kClosest, NegativeChoice::kSemiHard, NegativeChoice::kDistanceWeighted}) {
    if (to_string(c) == name) return c;
  }
  ADA_THROW_KIND(kUsage, "mining = '{}', must be one of {}", name, fmt::join(negative_choice_names(), ", "));
}

std::vector<LossTerm> parse_terms(std::string_view text) {
  std::vector<LossTerm> terms;
  if (text == "none") return terms;
  while (!text.empty()) {
    const size_t comma = text.find(',');
    const std::string_view item = text.substr(0, comma);
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
    const size_t equals = item.find('=');
    LossTerm term{std::string(item.substr(0, equals))};
    if (equals != std::string_view::npos) {
      const std::string number(item.substr(equals + 1));
      char* end = nullptr;
      term.factor = std::strtod(number.c_str(), &end);
      ADA_USAGE(!number.empty() && *end == 0, "terms: '{}' is no number (as in gor=1,sos=0.5)", number);
    }
    terms.push_back(std::move(term));
  }
  return terms;
}

std::string to_string(const std::vector<LossTerm>& terms) {
  if (terms.empty()) return "none";
  std::string text;
  for (const LossTerm& term : terms) text += fmt::format("{}{}={}", text.empty() ? "" : ",", term.name, term.factor);
  return text;
}

void LossOptions::validate() const {
  for (const LossTerm& term : terms) {
    const std::vector<std::string> names = term_names();
    ADA_USAGE(std::find(names.begin(), names.end(), term.name) != names.end(), "terms: '{}' is none of {}", term.name,
              fmt::join(names, ", "));
    ADA_USAGE(std::isfinite(term.factor) && term.factor >= 0 && term.factor <= 1e6,
              "terms: {} = {}, must be in [0, 1e6]", term.name, term.factor);
    ADA_USAGE(std::count_if(terms.begin(), terms.end(), [&](const LossTerm& t) { return t.name == term.name; }) == 1,
              "terms: {} stands there twice", term.name);
  }
  ADA_USAGE(std::isfinite(margin) && margin > 0, "margin = {}, must be positive", margin);
  ADA_USAGE(mining.duplicate_distance >= 0 && mining.duplicate_distance < 2,
            "duplicate distance = {}, must be in [0, 2)", mining.duplicate_distance);
}

}  // namespace adasample
