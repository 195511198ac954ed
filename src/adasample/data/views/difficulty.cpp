// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/difficulty.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "adasample/base/error.h"
#include "adasample/base/text.h"

namespace adasample {
namespace {

// In the order of the enum.
constexpr std::string_view kKinds[] = {"warp",   "light", "contrast",  "shadow",  "blur",
                                       "motion", "noise", "occlusion", "parallax"};
static_assert(std::size(kKinds) == kHardnessCount);
constexpr std::string_view kMixes[] = {"usual", "real"};

constexpr double kLargestFactor = 10;
constexpr double kDetectorsWarp = 0.45;  // two views of this strength overlap by 0.80 in the median

std::optional<Difficulty> mix(std::string_view name) {
  if (name == "usual") return Difficulty();
  if (name == "real") return Difficulty{.factors = {1, 1, 1, 1, 1, 1, 1, 1, 1}, .max_warp = kDetectorsWarp};
  return std::nullopt;
}

}  // namespace

std::string_view to_string(Hardness kind) { return kKinds[static_cast<size_t>(kind)]; }
std::span<const std::string_view> difficulty_mixes() { return kMixes; }

double Difficulty::strength(Hardness kind, double view) const {
  const double strength = of(kind) * view;
  return kind == Hardness::kWarp ? std::min(strength, max_warp) : strength;
}

void Difficulty::validate() const {
  for (size_t i = 0; i < kHardnessCount; ++i) {
    ADA_USAGE(factors[i] >= 0 && factors[i] <= kLargestFactor, "the factor {} = {}, must be 0 to {}", kKinds[i],
              factors[i], kLargestFactor);
  }
  ADA_USAGE(max_warp >= 0, "Difficulty::max_warp = {}, must be 0 or more", max_warp);
}

nlohmann::json Difficulty::describe() const {
  nlohmann::json object = nlohmann::json::object();
  for (size_t i = 0; i < kHardnessCount; ++i) object[std::string(kKinds[i])] = factors[i];
  if (std::isfinite(max_warp)) object["max_warp"] = max_warp;
  return object;
}

Difficulty parse_difficulty(std::string_view text) {
  Difficulty difficulty;
  bool first = true;
  while (!text.empty()) {
    const std::string_view item = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), item.size() + 1));
    const size_t equals = item.find('=');
    if (const auto mixed = mix(item); mixed && first) {
      difficulty = *mixed;
    } else {
      const auto* kind = std::find(std::begin(kKinds), std::end(kKinds), item.substr(0, equals));
      ADA_USAGE(equals != std::string_view::npos && kind != std::end(kKinds),
                "\"{}\" is no kind of difficulty: expected one of {} first, or KIND=FACTOR with a kind of {}", item,
                fmt::join(kMixes, ", "), fmt::join(kKinds, ", "));
      double& factor = difficulty.factors[static_cast<size_t>(kind - std::begin(kKinds))];
      ADA_USAGE(parse_number(item.substr(equals + 1), factor), "\"{}\": expected a number behind the =", item);
    }
    first = false;
  }
  difficulty.validate();
  return difficulty;
}

}  // namespace adasample
