// SPDX-License-Identifier: Apache-2.0
// What a reproduced table says of the paper's claim, by rules that are written down beside it.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace adasample {

enum class Verdict { kHolds, kDoesNotHold, kCannotTell };
std::string to_string(Verdict verdict);  // "holds", "does not hold", "cannot tell"

struct Claim {
  std::string text;  // what the paper says
  Verdict verdict = Verdict::kCannotTell;
  std::string why = {};  // what was seen, with numbers
};

inline constexpr double kSignificant = 0.05;

// "a is smaller than b" of values that belong together, such as the six train/test pairs: one-sided exact sign flips,
// p < 0.05 in the claimed direction holds, in the other it does not. Fewer than five pairs cannot tell.
Claim smaller_by_pairs(std::string text, std::span<const double> a, std::span<const double> b);
Claim larger_by_pairs(std::string text, std::span<const double> a, std::span<const double> b);

// The same of values that do not belong together, such as five seeds each: exact one-sided Mann-Whitney.
Claim smaller_by_ranks(std::string text, std::span<const double> a, std::span<const double> b);

// "a is larger than b" from a paired comparison's difference a - b and its two-sided p.
Claim larger_by_p(std::string text, double difference, double p_two_sided);

}  // namespace adasample
