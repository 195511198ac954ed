// SPDX-License-Identifier: Apache-2.0
// The main job on nothing but a seed: makes scenes, trains with AdaSample and with uniform positives at equal pairs and
// at equal seconds, and compares both with RootSIFT and the untrained network on scenes that no training saw.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "adasample/eval/pair_scores.h"
#include "adasample/experiment/run_plan.h"
#include "adasample/report/html_report.h"
#include "adasample/train/options.h"

namespace adasample {

struct DemoOptions {
  std::filesystem::path out;
  double minutes = 6;  // of training, all runs together
  int seeds = 1;
  uint64_t seed = 0;
  // Keypoints that a detector found again in views of the whole scene: what differs between two patches of a point is
  // what a detector does to its frame, as in use. Few enough classes that each is seen many times in minutes.
  int64_t train_classes = 2000;
  int64_t heldout_classes = 2000;
  int views = 8;
  int classes_per_scene = 200;
  int64_t evaluation_pairs = 10000;
  TrainOptions training;  // what AdaSample and the uniform runs share

  void validate() const;
};

inline constexpr const char* kUniformPairsRow = "uniform positives, equal pairs";
inline constexpr const char* kUniformSecondsRow = "uniform positives, equal seconds";
inline constexpr const char* kAdaSampleRow = "AdaSample";

struct DemoRow {
  std::string name;
  std::vector<PairScores> scores;  // one a seed; one for what is not trained
  double pairs = 0, seconds = 0;   // of training, mean over seeds

  double mean_fpr95() const;
  double fpr95_deviation() const;  // over seeds, n - 1; 0 for a single one
  double mean_ap() const;
};

struct DemoResult {
  std::vector<DemoRow> rows;
  std::vector<NamedCurves> references = {};      // of what is not trained
  std::vector<std::filesystem::path> runs = {};  // folders, in the order they were trained
  bool interrupted = false;
  std::string table() const;
  // Below the table, a line a budget: in how many seeds AdaSample has the lower FPR95; a tie is not ahead.
  std::string verdict() const;
  ReportTable report_table() const;
  nlohmann::ordered_json json() const;
};

// `text` describes its runs, so that `train --resume` can go on with them.
DemoResult run_demo(const DemoOptions& options, const OptionText& text);

}  // namespace adasample
