// SPDX-License-Identifier: Apache-2.0
// The choices of a loss, without Torch: which loss, which negatives, which mask.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace adasample {

// Candidates for the negative of row i, the pair (a_i, p_i), for all j != i:
//   eq14   (a_i, a_j) and (p_i, p_j)      as the paper's Eq. 14 says
//   cross  (a_i, p_j) and (a_j, p_i)      as HardNet does
//   all    both
enum class Negatives { kEq14, kCross, kAll };
std::string_view to_string(Negatives negatives);
Negatives parse_negatives(std::string_view name);
std::vector<std::string> negatives_names();

// Which of the candidates is the negative:
//   closest            the hardest
//   semi-hard          the closest of those farther than the positive; where there is none, the farthest. FaceNet,
//                      Schroff et al., CVPR 2015
//   distance-weighted  one at distance d with probability ~ min(1/q(d), 1/q(0.5)), none beyond 1.4, where
//                      q(d) ~ d^(D-2) (1 - d^2/4)^((D-3)/2) is how often points of a sphere lie at d. Wu et al., ICCV
//                      2017
enum class NegativeChoice { kClosest, kSemiHard, kDistanceWeighted };
std::string_view to_string(NegativeChoice choice);
NegativeChoice parse_negative_choice(std::string_view name);
std::vector<std::string> negative_choice_names();

struct MiningOptions {
  Negatives negatives = Negatives::kEq14;
  // Candidates closer than this (Euclidean) are taken for duplicates of the same point and skipped; 0 switches it off.
  // A row whose candidates are all skipped keeps its unmasked closest one: masking everything would read as success.
  double duplicate_distance = 0;
  NegativeChoice choice = NegativeChoice::kClosest;
};

// A term that the batch as a whole adds, times a factor.
struct LossTerm {
  std::string name;  // one of term_names()
  double factor = 1;
};
// "gor=1,sos=0.5"; a name alone stands for factor 1. "none" and "": no terms. Throws a usage Error that lists the
// names.
std::vector<LossTerm> parse_terms(std::string_view text);
std::string to_string(const std::vector<LossTerm>& terms);
std::vector<std::string> term_names();

struct LossOptions {
  std::string name = "aht";  // one of loss_names()
  double margin = 1;         // t
  MiningOptions mining;      // of aht, ht, sosnet and hynet; other losses have their own
  std::vector<LossTerm> terms = {};
  void validate() const;
};

std::vector<std::string> loss_names();

}  // namespace adasample
