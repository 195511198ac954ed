// SPDX-License-Identifier: Apache-2.0
#include "adasample/experiment/reproduce/reproduction.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "adasample/base/error.h"
#include "adasample/base/files/file_io.h"
#include "adasample/base/interrupt.h"
#include "adasample/base/json.h"
#include "adasample/base/log.h"
#include "adasample/data/hpatches/hpatches_store.h"
#include "adasample/data/phototour/phototour_store.h"
#include "adasample/data/tours/tour.h"
#include "adasample/train/device.h"

namespace adasample {
namespace {

constexpr int kGeneratedPositives = 15;
constexpr double kGeneratedAngle = 15;  // degrees
constexpr const char* kPaperSplit = "a";

// What decides what is made and trained: another call's folder is not gone on in.
nlohmann::json fixed_settings(const ReproduceOptions& o) {
  return {{"phototour", o.phototour.string()},
          {"hpatches", o.hpatches.string()},
          {"photographs", o.photographs.string()},
          {"iterations", o.iterations},
          {"batch", o.batch},
          {"k", o.k},
          {"points", o.points},
          {"sequences", o.sequences},
          {"patches", o.patches},
          {"gradient_classes", o.gradient_classes},
          {"gradient_steps", o.gradient_steps},
          {"seed", o.seed}};
}

}  // namespace

const std::vector<std::string>& reproducible() {
  static const std::vector<std::string> names = {"table1", "table2", "table3", "figure2", "figure3"};
  return names;
}

void ReproduceOptions::validate() const {
  for (const std::string& part : parts) {
    ADA_USAGE(std::find(reproducible().begin(), reproducible().end(), part) != reproducible().end(),
              "'{}' cannot be reproduced, must be one of {}", part, fmt::join(reproducible(), ", "));
  }
  ADA_USAGE(!parts.empty(), "nothing to reproduce");
  ADA_USAGE(iterations >= 0 && iterations <= 1'000'000'000, "iterations = {}, must be 0 to 1000000000", iterations);
  ADA_USAGE(seeds >= 2 && seeds <= 100, "seeds = {}, must be 2 to 100", seeds);
  ADA_USAGE(gradient_classes >= 2 && gradient_steps >= 1 && gradient_steps <= 1000,
            "gradient classes = {}, steps = {}, must be at least 2 and 1 to 1000", gradient_classes, gradient_steps);
}

Reproduction::Reproduction(const ReproduceOptions& options, const OptionText& text) : options_(options), text_(text) {
  options_.validate();
  namespace fs = std::filesystem;
  const fs::path record = options_.out / "reproduce.json";
  const nlohmann::json now = fixed_settings(options_);
  if (fs::exists(record)) {
    const nlohmann::json before = read_json(record, "reproduce");
    for (const auto& [name, value] : now.items()) {
      ADA_USAGE(before.is_object() && before.value(name, nlohmann::json()) == value,
                "{} was begun with {} = {}, now it is {} - choose another --out", options_.out.string(), name,
                before.is_object() ? before.value(name, nlohmann::json()).dump() : "?", value.dump());
    }
    return;
  }
  ADA_USAGE(!fs::exists(options_.out) || (fs::is_directory(options_.out) && fs::is_empty(options_.out)),
            "{} exists and was not made by `reproduce` - choose another --out", options_.out.string());
  fs::create_directories(options_.out);
  write_file_atomically(record, now.dump(1) + "\n");
}

std::optional<std::filesystem::path> Reproduction::site(int number) {
  const auto known = sites_.find(number);
  if (known != sites_.end()) return known->second;
  const std::string name = kSites[static_cast<size_t>(number)];
  std::optional<std::filesystem::path>& place = sites_[number];
  attempt("site " + name, [&] {
    std::filesystem::path folder = options_.phototour / name;
    if (options_.phototour.empty()) {
      folder = options_.out / "data" / name;
      std::filesystem::create_directories(folder.parent_path());
      if (!std::filesystem::exists(folder)) {
        make_tour(
            {.site = number, .points = options_.points, .seed = options_.seed, .photographs = options_.photographs},
            folder);
      }
    }
    PhotoTour::open(folder);  // throws, naming what is missing
    place = folder;
  });
  return place;
}

std::vector<int> Reproduction::sites() {
  std::vector<int> there;
  for (int number = 0; number < static_cast<int>(kSites.size()); ++number) {
    if (site(number)) there.push_back(number);
  }
  return there;
}

std::optional<std::filesystem::path> Reproduction::site_store(int number, bool generated, int patch_size) {
  const auto folder = site(number);
  if (!folder) return std::nullopt;
  const std::string name = std::string(kSites[static_cast<size_t>(number)]) + (generated ? "-15" : "") +
                           (patch_size == 32 ? "" : fmt::format("-{}px", patch_size));
  const std::filesystem::path store = options_.out / "stores" / name;
  if (std::filesystem::exists(store)) return store;
  std::filesystem::create_directories(store.parent_path());
  const bool made = attempt("store " + name, [&] {
    make_phototour_store(
        PhotoTour::open(*folder),
        {.positives = generated ? kGeneratedPositives : 0, .angle = kGeneratedAngle, .patch_size = patch_size}, store);
  });
  return made ? std::optional(store) : std::nullopt;
}

std::optional<GridJudge> Reproduction::hpatches_judge() {
  GridJudge judge{.name = "hpatches", .kind = "hpatches", .data = options_.hpatches.string(), .figures = {}};
  judge.split = kPaperSplit;
  for (const std::string& task : kTasks) judge.figures.push_back(task_figure(task));
  if (!options_.hpatches.empty()) return judge;
  const std::filesystem::path folder = options_.out / "data" / "hpatches-test";
  std::filesystem::create_directories(folder.parent_path());
  const bool made = attempt("sequences to test on", [&] {
    if (std::filesystem::exists(folder)) return;
    make_tour_sequences({.test = true,
                         .sequences = options_.sequences,
                         .max_patches = options_.patches,
                         .seed = options_.seed,
                         .photographs = options_.photographs},
                        folder);
  });
  judge.data = folder.string();
  judge.split = "full";
  return made ? std::optional(judge) : std::nullopt;
}

std::optional<std::filesystem::path> Reproduction::hpatches_store() {
  const std::filesystem::path store = options_.out / "stores" / "hpatches-train";
  if (std::filesystem::exists(store)) return store;
  std::filesystem::create_directories(store.parent_path());
  const bool made = attempt("sequences to train on", [&] {
    HpatchesStoreOptions chosen{.choice = {.split = kPaperSplit, .part = "train"}};
    std::filesystem::path root = options_.hpatches;
    if (root.empty()) {
      root = options_.out / "data" / "hpatches-train";
      std::filesystem::create_directories(root.parent_path());
      if (!std::filesystem::exists(root)) {
        make_tour_sequences({.test = false,
                             .sequences = 2 * options_.sequences + 4,
                             .max_patches = options_.patches,
                             .seed = options_.seed,
                             .photographs = options_.photographs},
                            root);
      }
      chosen.choice = {.split = "full", .part = "test"};  // that is, all of them
    }
    make_hpatches_store(root, benchmark_splits(), chosen, store);
  });
  return made ? std::optional(store) : std::nullopt;
}

int64_t Reproduction::iterations(bool real_data) const {
  if (options_.iterations > 0) return options_.iterations;
  if (!real_data) return kStandInIterations;
  TrainOptions paper = make_preset("paper", options_.device);
  paper.batch = options_.batch;
  return paper.total_iterations();
}

Grid Reproduction::empty_grid(const std::string& title, bool real_data) const {
  Grid grid;
  grid.title = title;
  grid.train = {{"iterations", std::to_string(iterations(real_data))},
                {"batch", std::to_string(options_.batch)},
                {"k", std::to_string(options_.k)}};
  return grid;
}

Grid Reproduction::site_grid(int number, const std::vector<std::string>& names, int seeds) {
  Grid grid =
      empty_grid(fmt::format("trained on {}", kSites[static_cast<size_t>(number)]), !options_.phototour.empty());
  grid.seeds.clear();
  for (int s = 0; s < seeds; ++s) grid.seeds.push_back(static_cast<uint64_t>(s));
  // Always both, so that a run has the same name in every part, and is trained once.
  for (const bool generated : {false, true}) {
    if (const auto store = site_store(number, generated))
      grid.data.push_back({.name = generated ? "generated" : "real", .stores = {store->string()}});
  }
  const auto reads_large = [](const std::string& name) { return recipe(name).patch_size == 64; };
  if (std::any_of(names.begin(), names.end(), reads_large)) {
    if (const auto store = site_store(number, /*generated=*/false, 64))
      grid.data.push_back({.name = "real-64", .stores = {store->string()}});
  }
  for (const std::string& name : names) {
    const Recipe& how = recipe(name);
    const std::string data = how.generated ? "generated" : how.patch_size == 64 ? "real-64" : "real";
    if (grid.find_data(data) != nullptr) grid.arms.push_back({arm_name(how.name), how.options, data, {Budget::kPairs}});
  }
  for (const int other : sites()) {
    if (other == number) continue;
    grid.judges.push_back({.name = kSites[static_cast<size_t>(other)],
                           .kind = "phototour",
                           .data = site(other)->string(),
                           .figures = {"fpr95"}});
  }
  return grid;
}

ExperimentResults Reproduction::run(const std::string& name, Grid grid) {
  if (grid.arms.empty()) return {};
  if (grid.baseline.empty()) grid.baseline = grid.arms.front().name;
  ExperimentEnd end = run_experiment(grid, {folder(name), options_.device, ExperimentPart::kAll}, text_);
  for (const std::string& what : end.problems) problems_.tell(name + ": " + what);
  return std::move(end.results);
}

std::string Reproduction::phototour_words() const {
  if (!options_.phototour.empty()) return "PhotoTour";
  return fmt::format("a stand-in for PhotoTour ({})",
                     options_.photographs.empty() ? "procedural scenes" : "photographs");
}

std::string Reproduction::hpatches_words() const {
  if (!options_.hpatches.empty()) return "HPatches, split a";
  return fmt::format("a stand-in for HPatches ({})",
                     options_.photographs.empty() ? "procedural scenes" : "photographs");
}

std::string Reproduction::pairs_words(bool real_data) const {
  const double pairs = static_cast<double>(iterations(real_data)) * static_cast<double>(options_.batch);
  return pairs >= 1e6 ? fmt::format("{:.2f} million pairs per run", pairs / 1e6)
                      : fmt::format("{:.0f} pairs per run", pairs);
}

std::vector<std::pair<std::string, std::string>> Reproduction::facts() const {
  const double minutes = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count() / 60;
  std::string hardware = options_.device == "cuda" ? gpu_name() : "CPU";
  if (hardware.empty()) hardware = options_.device;
  return {{"command", "`" + options_.command + "`"},
          {"hardware", hardware},
          {"minutes of this call",
           fmt::format("{:.1f}; what an earlier call or part had trained was not trained again", minutes)},
          {"data", options_.phototour.empty()
                       ? fmt::format("made on the spot, seed {}, {} points a site", options_.seed, options_.points)
                       : options_.phototour.filename().string()},
          {"n, k", fmt::format("{}, {}", options_.batch, options_.k)}};
}

const ArmResult* find_arm(const ExperimentResults& results, const std::string& judge, const std::string& arm) {
  for (const JudgedTable& table : results.tables) {
    if (table.judge != judge) continue;
    for (const ArmResult& row : table.rows) {
      if (row.name == arm) return &row;
    }
  }
  return nullptr;
}

std::vector<double> values_of(const ExperimentResults& results, const std::string& judge, const std::string& arm,
                              const std::string& figure) {
  const ArmResult* row = find_arm(results, judge, arm);
  if (row == nullptr) return {};
  const auto found = row->figures.find(figure);
  return found == row->figures.end() ? std::vector<double>{} : found->second.values;
}

ReproduceEnd reproduce(const ReproduceOptions& options, const OptionText& text) {
  using Make = ReproducedPage (*)(Reproduction&);
  const std::map<std::string, Make> makers = {{"table1", reproduce_table1},
                                              {"table2", reproduce_table2},
                                              {"table3", reproduce_table3},
                                              {"figure2", reproduce_figure2},
                                              {"figure3", reproduce_figure3}};
  Reproduction all(options, text);
  ReproduceEnd end;
  for (const std::string& part : options.parts) {
    if (stop_requested()) break;
    all.begin_part();
    all.attempt(part, [&] {
      ReproducedPage page = makers.at(part)(all);
      page.name = part;
      page.facts = all.facts();
      page.notes = all.take_problems();
      end.problems.insert(end.problems.end(), page.notes.begin(), page.notes.end());
      for (std::string& note : all.take_notes()) page.notes.push_back(std::move(note));
      if (stop_requested()) return;  // an unfinished table is no page
      page.write(options.out);
      end.pages.push_back(std::move(page));
    });
    for (std::string& left : all.take_problems()) end.problems.push_back(std::move(left));
  }
  end.interrupted = stop_requested();
  return end;
}

}  // namespace adasample
