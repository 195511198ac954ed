// SPDX-License-Identifier: Apache-2.0
// The paper's numbers, and the recipes by which its rows are trained here. A new method is one line of recipes().
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace adasample {

// The three sites and the six ways to train on one and test on another, in the paper's order.
inline constexpr std::array kSites = {"liberty", "notredame", "yosemite"};
struct SitePair {
  int train = 0, test = 0;  // of kSites
  const char* label;        // the paper's: "ND -> Lib"
};
inline constexpr std::array<SitePair, 6> kSitePairs = {{{1, 0, "ND -> Lib"},
                                                        {2, 0, "Yos -> Lib"},
                                                        {0, 1, "Lib -> ND"},
                                                        {2, 1, "Yos -> ND"},
                                                        {0, 2, "Lib -> Yos"},
                                                        {1, 2, "ND -> Yos"}}};

// A way to train: "+" flips, "*" classes filled up with generated positives.
struct Recipe {
  std::string name;                            // the paper's: "HardNet+*"
  bool generated = false;                      // "*"
  int patch_size = 32;                         // that its network reads: 32 or 64 pixels
  std::map<std::string, std::string> options;  // of `train`
};
const std::vector<Recipe>& recipes();
const Recipe& recipe(const std::string& name);
// The arm of a recipe in a grid: signs that no folder's name has become words, "HardNet plus star".
std::string arm_name(const std::string& recipe_name);

// Table 1, FPR95 in per cent in the order of kSitePairs, then the mean; nothing for a row that the paper does not have.
std::optional<std::array<double, 7>> paper_table1(const std::string& row);

// Table 2, mean average precision in per cent.
struct PaperTasks {
  double verification, matching, retrieval;
};
std::optional<PaperTasks> paper_table2(const std::string& lambda, const std::string& loss);

// Table 3: mean and deviation over five seeds in per cent, relative gain in per cent, p.
struct PaperGain {
  double hardnet, hardnet_deviation, adasample, adasample_deviation, gain, p;
};
const std::array<PaperGain, 6>& paper_table3();

inline constexpr double kPaperCorrelation = 0.8;  // Figure 3: Pearson's is above it through training

}  // namespace adasample
