// SPDX-License-Identifier: Apache-2.0
// The paper's tables and figures, each from one call: data, runs (as experiments, grid/trials.h), scores, a page with
// the paper's numbers beside ours and a verdict. The folder keeps what is done, and the same call goes on where it was
// stopped. What fails is told, and the rest goes on.
//   out/data, out/stores   what was made to train and test on
//   out/runs/SITE, ..      the experiments
//   out/table1/README.md, page.html, ..
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "adasample/experiment/reproduce/page.h"
#include "adasample/experiment/run_plan.h"

namespace adasample {

const std::vector<std::string>& reproducible();  // "table1", .., "figure3"

struct ReproduceOptions {
  std::filesystem::path out;
  std::vector<std::string> parts;  // of reproducible(), in that order
  std::string device = "cpu";
  std::string command;  // as the page quotes it

  std::filesystem::path phototour = {};    // with liberty, notredame and yosemite below it; empty: a stand-in
  std::filesystem::path hpatches = {};     // the patches release; empty: a stand-in
  std::filesystem::path photographs = {};  // what stand-ins are made of; empty: procedural scenes

  // 0: the paper's 90 epochs on the real sets, kStandInIterations on stand-ins.
  int64_t iterations = 0;
  int64_t batch = 1024, k = 15;
  int seeds = 5;                  // of Table 3
  int64_t points = 20000;         // a site of a stand-in
  int sequences = 10;             // to test on; to train on twice as many and four more
  int patches = 300;              // a sequence, at most
  int64_t gradient_classes = 48;  // of Figure 3
  int gradient_steps = 8;         // how often during training
  uint64_t seed = 0;              // of the data

  void validate() const;
};

// 66 runs at 6.3 ms an iteration (bench/gpu.md) are 11 minutes of an H200, to which starts, data and scores are added:
// chosen for all five to stay within 25.
inline constexpr int64_t kStandInIterations = 1536;

struct ReproduceEnd {
  std::vector<ReproducedPage> pages;
  std::vector<std::string> problems;  // what was left out, failed or broke down, a sentence each
  bool interrupted = false;
};

// `text` names the options of `train`. Throws Error where the folder cannot be used, or belongs to another call.
ReproduceEnd reproduce(const ReproduceOptions& options, const OptionText& text);

}  // namespace adasample
