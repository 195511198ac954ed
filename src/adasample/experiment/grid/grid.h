// SPDX-License-Identifier: Apache-2.0
// What an experiment is to try, read from its grid (docs/experiments.md has the keys and an example): arms, which
// differ in options of `train`, each trained with several seeds, and judges, which score what was learned.
//
//   [[arm]]                      [[arm]]
//   sampler = "random"           lambda = [5, 10]            # a list stands for one arm each: here two times three
//   weights = "none"             weights = ["none", "distance", "class"]
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace adasample {

// Patches, by name: folders of stores, or synthetic scenes that the experiment makes itself.
struct GridData {
  std::string name;
  std::vector<std::string> stores = {};  // empty: made
  int64_t classes = 0, views = 16;       // of what is made
  uint64_t seed = 0;
  bool heldout = false;  // other scenes than those made for training from the same seed

  bool is_made() const { return stores.empty(); }
};

// How long arms train: as many pairs, or as many seconds as the slowest of them.
enum class Budget { kPairs, kSeconds };
std::string to_string(Budget budget);

struct GridArm {
  std::string name;                            // "adasample lambda=10 weights=none"
  std::map<std::string, std::string> options;  // of `train`, by their names
  std::string data;                            // a GridData
  std::vector<Budget> budgets;
};

struct GridJudge {
  std::string name, kind;  // kind: one of judge_kinds()
  std::string data;        // what it judges on: a folder, or a GridData to judge on
  std::vector<std::string> figures;
  std::string split = "full";  // of hpatches: which sequences
};

struct Grid {
  std::string title = "Experiment";
  std::vector<uint64_t> seeds = {0};
  std::map<std::string, std::string> train;  // options of all arms
  std::vector<GridData> data;                // to train on
  std::vector<GridData> heldout;             // to judge on
  std::vector<GridArm> arms;
  std::vector<GridJudge> judges;
  std::vector<std::string> references;  // models that are scored beside the arms: "rootsift", a file
  std::string baseline;                 // the arm that all others are compared with
  bool keep_checkpoints = false;
  std::vector<std::string> problems;  // what was left out, a sentence each

  const GridData* find_data(const std::string& name) const;
};

// What a judge can be, and the figures it shows if the grid does not say which.
struct JudgeKind {
  std::string name, help;
  std::vector<std::string> figures;
};
const std::vector<JudgeKind>& judge_kinds();

// An arm or a judge that cannot be understood is left out, an unknown key passed over, and both are told in `problems`:
// one typing error in a night's work must not cost the rest. Throws a usage Error, `label` in it, where nothing would
// be left to do: no arm, no data, no object at all.
Grid parse_grid(const nlohmann::json& text, const std::string& label);

// A name for folders: letters, digits, dots and single dashes.
std::string slug(const std::string& name);

}  // namespace adasample
