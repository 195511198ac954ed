// SPDX-License-Identifier: Apache-2.0
#include "adasample/experiment/reproduce/paper.h"

#include <algorithm>

#include "adasample/base/error.h"

namespace adasample {
namespace {

using TrainWords = std::map<std::string, std::string>;

TrainWords with(TrainWords options, const TrainWords& more) {
  for (const auto& [name, value] : more) options[name] = value;
  return options;
}

// HardNet as published: uniform positives, cross negatives, unsquared hinge, its own momentum and schedule.
TrainWords hardnet() {
  return {{"preset", "paper"},    {"sampler", "random"},   {"weights", "none"},
          {"loss", "hardnet"},    {"momentum", "0.9"},     {"dampening", "0.9"},
          {"schedule", "linear"}, {"separate-bn", "true"}, {"flips", "false"}};
}
TrainWords adasample() { return {{"preset", "paper"}, {"flips", "false"}}; }

// Another method of the field by its preset; batch and length are the table's.
TrainWords method(const std::string& preset) { return {{"preset", preset}, {"flips", "false"}}; }

const TrainWords kPlus = {{"flips", "true"}}, kGor = {{"terms", "gor=1"}};

struct Table1Row {
  const char* name;
  std::array<double, 7> values;
};
constexpr Table1Row kTable1[] = {
    {"SIFT", {29.84, 29.84, 22.53, 22.53, 27.29, 27.29, 26.55}},
    {"DeepDesc", {10.9, 10.9, 4.40, 4.40, 5.69, 5.69, 6.99}},
    {"MatchNet", {7.04, 11.47, 3.82, 5.65, 11.60, 8.70, 8.05}},
    {"L2-Net", {3.64, 5.29, 1.15, 1.62, 4.43, 3.30, 3.24}},
    {"CS-L2-Net", {2.55, 4.24, 0.87, 1.39, 3.81, 2.84, 2.61}},
    {"HardNet", {1.47, 2.67, 0.62, 0.88, 2.14, 1.65, 1.57}},
    {"HardNet-GOR", {1.72, 2.89, 0.63, 0.91, 2.10, 1.59, 1.64}},
    {"HardNet*", {1.80, 2.89, 0.68, 0.90, 1.93, 1.71, 1.65}},
    {"AdaSample*", {1.64, 2.62, 0.61, 0.88, 1.92, 1.46, 1.52}},
    {"TFeat-M+", {7.39, 10.31, 3.06, 3.80, 8.06, 7.24, 6.64}},
    {"L2-Net+", {2.36, 4.70, 0.72, 1.29, 2.57, 1.71, 2.23}},
    {"CS-L2-Net+", {1.71, 3.87, 0.56, 1.09, 2.07, 1.30, 1.76}},
    {"HardNet+", {1.49, 2.51, 0.53, 0.78, 1.96, 1.84, 1.51}},
    {"HardNet-GOR+", {1.48, 2.43, 0.51, 0.78, 1.76, 1.53, 1.41}},
    {"DOAP+", {1.54, 2.62, 0.43, 0.87, 2.00, 1.21, 1.45}},
    {"HardNet+*", {1.32, 2.31, 0.41, 0.67, 1.51, 1.24, 1.24}},
    {"AdaSample+*", {1.25, 2.21, 0.40, 0.63, 1.40, 1.14, 1.17}},
};

struct Table2Row {
  const char* lambda;
  PaperTasks aht, ht;
};
constexpr Table2Row kTable2[] = {
    {"1", {93.84, 64.09, 81.26}, {93.17, 62.64, 79.97}},  {"2", {94.72, 66.04, 83.58}, {94.56, 65.92, 83.34}},
    {"5", {94.78, 65.89, 83.80}, {94.76, 65.68, 83.54}},  {"10", {94.78, 65.46, 83.98}, {94.60, 65.37, 83.62}},
    {"20", {94.60, 64.56, 83.56}, {94.69, 64.84, 83.69}}, {"inf", {94.42, 63.81, 83.41}, {94.51, 64.02, 83.29}},
};

}  // namespace

const std::vector<Recipe>& recipes() {
  static const std::vector<Recipe> all = {
      {"DeepDesc", false, 64, method("deepdesc")},
      {"MatchNet", false, 64, method("matchnet")},
      {"L2-Net", false, 32, method("l2net")},
      {"CS-L2-Net", false, 64, method("cs-l2net")},
      {"HardNet", false, 32, hardnet()},
      {"HardNet-GOR", false, 32, with(hardnet(), kGor)},
      {"HardNet*", true, 32, hardnet()},
      {"AdaSample*", true, 32, adasample()},
      {"TFeat-M+", false, 32, with(method("tfeat"), kPlus)},
      {"L2-Net+", false, 32, with(method("l2net"), kPlus)},
      {"CS-L2-Net+", false, 64, with(method("cs-l2net"), kPlus)},
      {"HardNet+", false, 32, with(hardnet(), kPlus)},
      {"HardNet-GOR+", false, 32, with(with(hardnet(), kGor), kPlus)},
      {"DOAP+", false, 32, with(method("doap"), kPlus)},
      {"HardNet+*", true, 32, with(hardnet(), kPlus)},
      {"AdaSample+*", true, 32, with(adasample(), kPlus)},
  };
  return all;
}

const Recipe& recipe(const std::string& name) {
  const auto found =
      std::find_if(recipes().begin(), recipes().end(), [&](const Recipe& one) { return one.name == name; });
  ADA_ASSERT(found != recipes().end());
  return *found;
}

std::string arm_name(const std::string& recipe_name) {
  std::string name;
  for (const char c : recipe_name)
    name += c == '+' ? std::string(" plus") : c == '*' ? std::string(" star") : std::string(1, c);
  return name;
}

std::optional<std::array<double, 7>> paper_table1(const std::string& row) {
  for (const Table1Row& one : kTable1) {
    if (row == one.name) return one.values;
  }
  return std::nullopt;
}

std::optional<PaperTasks> paper_table2(const std::string& lambda, const std::string& loss) {
  for (const Table2Row& one : kTable2) {
    if (lambda == one.lambda) return loss == "aht" ? one.aht : one.ht;
  }
  return std::nullopt;
}

const std::array<PaperGain, 6>& paper_table3() {
  static constexpr std::array<PaperGain, 6> kTable3 = {{{1.316, 0.044, 1.254, 0.026, 4.71, 0.031},
                                                        {2.310, 0.063, 2.212, 0.049, 4.28, 0.018},
                                                        {0.406, 0.011, 0.400, 0.016, 1.58, 0.337},
                                                        {0.671, 0.010, 0.627, 0.012, 6.62, 0.006},
                                                        {1.513, 0.084, 1.395, 0.050, 7.80, 0.030},
                                                        {1.241, 0.044, 1.137, 0.036, 8.38, 0.011}}};
  return kTable3;
}

}  // namespace adasample
