// SPDX-License-Identifier: Apache-2.0
#include "adasample/experiment/grid/grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "adasample/base/error.h"

namespace adasample {
namespace {

using nlohmann::json;

constexpr size_t kMostArms = 1000, kMostSeeds = 1000;

// A scalar as the command line would give it; nothing for what is none.
std::optional<std::string> scalar_text(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
  if (value.is_number_integer()) return value.dump();
  if (value.is_number_float()) return fmt::format("{}", value.get<double>());
  return std::nullopt;
}

std::string must_be_text(const json& value, const std::string& key) {
  const std::optional<std::string> text = scalar_text(value);
  ADA_CHECK(text.has_value(), "{} must be a string, a number, true or false", key);
  return *text;
}

int64_t must_be_count(const json& value, const std::string& key, int64_t least, int64_t most) {
  ADA_CHECK(value.is_number_integer() && value >= least && value <= most,
            "{} = {}, must be a whole number from {} to {}", key, value.dump(), least, most);
  return value.get<int64_t>();
}

// One text, or a list of them.
std::vector<std::string> texts(const json& value, const std::string& key) {
  std::vector<std::string> result;
  if (!value.is_array()) return {must_be_text(value, key)};
  for (const json& element : value) result.push_back(must_be_text(element, key));
  ADA_CHECK(!result.empty(), "{} is an empty list", key);
  return result;
}

std::vector<uint64_t> seeds_of(const json& value) {
  std::vector<uint64_t> seeds;
  if (value.is_number_integer()) {  // so many
    const int64_t count = must_be_count(value, "seeds", 1, kMostSeeds);
    for (int64_t s = 0; s < count; ++s) seeds.push_back(static_cast<uint64_t>(s));
    return seeds;
  }
  ADA_CHECK(value.is_array() && !value.empty() && value.size() <= kMostSeeds,
            "seeds must be a number of seeds, or a list of 1 to {}", kMostSeeds);
  for (const json& seed : value) seeds.push_back(static_cast<uint64_t>(must_be_count(seed, "seeds", 0, INT64_MAX)));
  ADA_CHECK(std::set(seeds.begin(), seeds.end()).size() == seeds.size(), "seeds names one twice");
  return seeds;
}

Budget budget_of(const std::string& name) {
  for (const Budget budget : {Budget::kPairs, Budget::kSeconds}) {
    if (name == to_string(budget)) return budget;
  }
  ADA_THROW("budget = '{}', must be pairs or seconds", name);
}

// Store folders, or {classes = 2000, views = 8, seed = 0} for what is to be made.
GridData data_of(const std::string& name, const json& value, bool heldout) {
  GridData data{.name = name, .heldout = heldout};
  if (!value.is_object()) {
    data.stores = texts(value, name);
    return data;
  }
  for (const auto& [key, given] : value.items()) {
    if (key == "classes") {
      data.classes = must_be_count(given, key, 2, 100'000'000);
    } else if (key == "views") {
      data.views = must_be_count(given, key, 2, 1000);
    } else if (key == "seed") {
      data.seed = static_cast<uint64_t>(must_be_count(given, key, 0, INT64_MAX));
    } else {
      ADA_THROW("no such key: {}", key);
    }
  }
  ADA_CHECK(data.classes > 0, "classes is missing");
  return data;
}

// The arms that one [[arm]] stands for: every combination of the values of its lists.
class ArmCrossing {
 public:
  ArmCrossing(const json& table, const Grid& grid, std::vector<Budget> budgets)
      : grid_(grid), budgets_(std::move(budgets)) {
    ADA_CHECK(table.is_object(), "an arm must be a table");
    for (const auto& [key, value] : table.items()) {
      if (key == "name") {
        name_ = must_be_text(value, key);
      } else if (key == "budget") {
        budgets_.clear();
        for (const std::string& budget : texts(value, key)) budgets_.push_back(budget_of(budget));
      } else {
        axes_.push_back({key, texts(value, key)});
      }
    }
    // The sampler names the arm; the data come last, since it is the rest that is compared.
    const auto rank = [](const Axis& axis) { return axis.key == "sampler" ? 0 : axis.key == "data" ? 2 : 1; };
    std::stable_sort(axes_.begin(), axes_.end(), [&](const Axis& a, const Axis& b) { return rank(a) < rank(b); });
    if (axes_.empty() || axes_.back().key != "data") {
      std::vector<std::string> all;
      for (const GridData& data : grid.data) all.push_back(data.name);
      axes_.push_back({"data", all});
    }
  }

  std::vector<GridArm> arms() const {
    std::vector<GridArm> arms;
    std::vector<std::string> chosen;
    cross(chosen, arms);
    return arms;
  }

 private:
  struct Axis {
    std::string key;
    std::vector<std::string> values;
  };

  void cross(std::vector<std::string>& chosen, std::vector<GridArm>& arms) const {
    if (chosen.size() < axes_.size()) {
      for (const std::string& value : axes_[chosen.size()].values) {
        chosen.push_back(value);
        cross(chosen, arms);
        chosen.pop_back();
      }
      return;
    }
    ADA_CHECK(arms.size() < kMostArms, "more than {} combinations", kMostArms);
    GridArm arm;
    arm.name = name_;
    arm.budgets = budgets_;
    for (size_t i = 0; i < axes_.size(); ++i) {
      const auto& [key, values] = axes_[i];
      if (key == "data") {
        arm.data = chosen[i];
        const auto named = [&](const GridData& data) { return data.name == arm.data; };
        ADA_CHECK(std::any_of(grid_.data.begin(), grid_.data.end(), named), "data = '{}' is not in [data]", arm.data);
        continue;
      }
      arm.options[key] = chosen[i];
      if (!name_.empty() && values.size() == 1) continue;  // the name stands for it
      if (!arm.name.empty()) arm.name += ' ';
      arm.name += key == "sampler" ? chosen[i] : key + "=" + chosen[i];
    }
    if (arm.name.empty()) arm.name = "default";
    arms.push_back(std::move(arm));
  }

  const Grid& grid_;
  std::string name_;
  std::vector<Budget> budgets_;
  std::vector<Axis> axes_;
};

GridJudge judge_of(const json& table, const Grid& grid) {
  ADA_CHECK(table.is_object(), "a judge must be a table");
  GridJudge judge;
  for (const auto& [key, value] : table.items()) {
    if (key == "name") {
      judge.name = must_be_text(value, key);
    } else if (key == "kind") {
      judge.kind = must_be_text(value, key);
    } else if (key == "data") {
      judge.data = must_be_text(value, key);
    } else if (key == "figures") {
      judge.figures = texts(value, key);
    } else if (key == "split") {
      judge.split = must_be_text(value, key);
    } else {
      ADA_THROW("no such key: {}", key);
    }
  }
  std::vector<std::string> kinds;
  for (const JudgeKind& kind : judge_kinds()) {
    kinds.push_back(kind.name);
    if (kind.name == judge.kind && judge.figures.empty()) judge.figures = kind.figures;
  }
  ADA_CHECK(std::find(kinds.begin(), kinds.end(), judge.kind) != kinds.end(), "kind = '{}', must be one of {}",
            judge.kind, fmt::join(kinds, ", "));
  ADA_CHECK(!judge.data.empty(), "data is missing");
  if (judge.name.empty()) judge.name = judge.kind;
  ADA_CHECK(slug(judge.name) != "run", "'{}' is no name for a judge", judge.name);
  const auto taken = [&](const GridJudge& other) { return slug(other.name) == slug(judge.name); };
  ADA_CHECK(std::none_of(grid.judges.begin(), grid.judges.end(), taken), "there is a judge '{}' already", judge.name);
  return judge;
}

// A list of tables, or a single one.
std::vector<json> tables_of(const json& value) {
  if (!value.is_array()) return {value};
  return {value.begin(), value.end()};
}

class GridReader {
 public:
  GridReader(const json& text, const std::string& label) : text_(text), label_(label) {}

  Grid read() {
    ADA_USAGE(text_.is_object(), "[experiment] {}: expected tables and keys, found {}", label_, text_.type_name());
    for (const auto& [key, value] : text_.items()) {
      try {
        read_key(key, value);
      } catch (const Error& error) {
        if (error.kind() == Error::Kind::kUsage) throw;
        ADA_THROW_KIND(kUsage, "[experiment] {}: {}", label_, error.what());
      }
    }
    read_data("data", /*heldout=*/false, grid_.data);
    read_data("heldout", /*heldout=*/true, grid_.heldout);
    ADA_USAGE(!grid_.data.empty(), "[experiment] {}: no data to train on; [data] takes: name = \"store\"", label_);
    read_arms();
    ADA_USAGE(!grid_.arms.empty(), "[experiment] {}: no arm is left to train", label_);
    read_judges();
    choose_baseline();
    return std::move(grid_);
  }

 private:
  void problem(const std::string& where, const std::string& what) {
    grid_.problems.push_back(fmt::format("{}: {}: {}", label_, where, what));
  }

  void read_key(const std::string& key, const json& value) {
    if (key == "title") {
      grid_.title = must_be_text(value, key);
    } else if (key == "seeds") {
      grid_.seeds = seeds_of(value);
    } else if (key == "baseline") {
      grid_.baseline = must_be_text(value, key);
    } else if (key == "references") {
      grid_.references = texts(value, key);
    } else if (key == "keep_checkpoints") {
      ADA_USAGE(value.is_boolean(), "[experiment] {}: keep_checkpoints must be true or false", label_);
      grid_.keep_checkpoints = value;
    } else if (key == "train") {
      ADA_USAGE(value.is_object(), "[experiment] {}: [train] must be a table of options", label_);
      for (const auto& [name, given] : value.items()) grid_.train[name] = must_be_text(given, "[train] " + name);
    } else if (key == "budget") {
      budgets_.clear();
      for (const std::string& budget : texts(value, key)) budgets_.push_back(budget_of(budget));
    } else if (key != "arm" && key != "judge" && key != "data" && key != "heldout") {
      problem(key, "no such key, passed over");
    }
  }

  void read_data(const char* key, bool heldout, std::vector<GridData>& into) {
    const auto found = text_.find(key);
    if (found == text_.end()) return;
    ADA_USAGE(found->is_object(), "[experiment] {}: [{}] must be a table: name = \"store\"", label_, key);
    for (const auto& [name, value] : found->items()) {
      try {
        into.push_back(data_of(name, value, heldout));
        if (heldout && into.back().stores.size() > 1) {
          problem(fmt::format("[{}] {}", key, name), "a judge takes one store, the first");
        }
      } catch (const Error& error) {
        problem(fmt::format("[{}] {}", key, name), std::string(error.what()) + "; left out");
      }
    }
  }

  void read_arms() {
    const auto found = text_.find("arm");
    if (found == text_.end()) return;
    std::set<std::string> names;
    size_t number = 0;
    for (const json& table : tables_of(*found)) {
      ++number;
      try {
        for (GridArm& arm : ArmCrossing(table, grid_, budgets_).arms()) {
          // Both names a trial may have in the folder.
          const std::string pairs = slug(arm.name) + "|" + slug(arm.data),
                            seconds = slug(arm.name + " seconds") + "|" + slug(arm.data);
          ADA_CHECK(!names.contains(pairs) && !names.contains(seconds), "there is an arm '{}' already", arm.name);
          names.insert({pairs, seconds});
          grid_.arms.push_back(std::move(arm));
        }
      } catch (const Error& error) {
        problem(fmt::format("arm {}", number), std::string(error.what()) + "; left out");
      }
    }
  }

  void read_judges() {
    const auto found = text_.find("judge");
    if (found == text_.end()) return;
    size_t number = 0;
    for (const json& table : tables_of(*found)) {
      ++number;
      try {
        grid_.judges.push_back(judge_of(table, grid_));
      } catch (const Error& error) {
        problem(fmt::format("judge {}", number), std::string(error.what()) + "; left out");
      }
    }
  }

  void choose_baseline() {
    const auto named = [&](const GridArm& arm) { return arm.name == grid_.baseline; };
    if (std::any_of(grid_.arms.begin(), grid_.arms.end(), named)) return;
    if (!grid_.baseline.empty()) {
      std::vector<std::string> names;
      for (const GridArm& arm : grid_.arms) names.push_back(arm.name);
      problem(fmt::format("baseline = '{}'", grid_.baseline),
              fmt::format("no such arm, the first takes its place; there are: {}", fmt::join(names, ", ")));
    }
    grid_.baseline = grid_.arms.front().name;
  }

  const json& text_;
  std::string label_;
  std::vector<Budget> budgets_ = {Budget::kPairs};
  Grid grid_;
};

}  // namespace

std::string to_string(Budget budget) { return budget == Budget::kPairs ? "pairs" : "seconds"; }

const GridData* Grid::find_data(const std::string& name) const {
  for (const std::vector<GridData>* some : {&data, &heldout}) {
    for (const GridData& one : *some) {
      if (one.name == name) return &one;
    }
  }
  return nullptr;
}

const std::vector<JudgeKind>& judge_kinds() {
  static const std::vector<JudgeKind> kinds = {
      {"tracks",
       "a store whose patches know their pictures: data redetected, data colmap",
       {"matching", "top1", "verification", "fpr95"}},
      {"hpatches",
       "patches of sequences with made-up noise: data sequences",
       {"matching.per.easy.trapezoid", "matching.per.hard.trapezoid", "matching.per.tough.trapezoid",
        "verification.trapezoid", "retrieval.trapezoid"}},
      {"phototour", "a PhotoTour set, by its match list", {"fpr95"}},
      {"patches", "pairs of a patch store", {"fpr95"}},
      {"sequences", "whole pictures of planes: matches and homographies", {"matching_score", "mma.3"}}};
  return kinds;
}

std::string slug(const std::string& name) {
  std::string result;
  for (const char c : name) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.';
    if (plain) {
      result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!result.empty() && result.back() != '-') {
      result += '-';
    }
  }
  while (!result.empty() && result.back() == '-') result.pop_back();
  return result.empty() ? "unnamed" : result;
}

Grid parse_grid(const json& text, const std::string& label) { return GridReader(text, label).read(); }

}  // namespace adasample
