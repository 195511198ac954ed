// SPDX-License-Identifier: Apache-2.0
// What the parts of `reproduce` share: the data, made when first asked for, and the experiments on them.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "adasample/experiment/experiment.h"
#include "adasample/experiment/problems.h"
#include "adasample/experiment/reproduce/paper.h"
#include "adasample/experiment/reproduce/reproduce.h"

namespace adasample {

class Reproduction {
 public:
  Reproduction(const ReproduceOptions& options, const OptionText& text);

  const ReproduceOptions& options() const { return options_; }
  const OptionText& text() const { return text_; }

  // Does it, or tells why not, once; true where it was done.
  template <typename Work>
  bool attempt(const std::string& what, const Work& work) {
    return problems_.attempt(what, work);
  }
  std::vector<std::string> take_problems() { return problems_.take(); }  // of the part so far
  void note(const std::string& what) { notes_.push_back(what); }         // for the page: told already, or nothing wrong
  std::vector<std::string> take_notes() { return std::exchange(notes_, {}); }

  // A site's folder, and a store of its points to train on; nothing, told, where the site is missing.
  std::optional<std::filesystem::path> site(int number);
  std::optional<std::filesystem::path> site_store(int number, bool generated, int patch_size = 32);
  std::vector<int> sites();  // those that are there
  // Sequences to test on: a judge; and a store of others to train on.
  std::optional<GridJudge> hpatches_judge();
  std::optional<std::filesystem::path> hpatches_store();

  int64_t iterations(bool real_data) const;
  // Trains and scores what is not there yet. `name`: the folder below out/runs.
  ExperimentResults run(const std::string& name, Grid grid);
  Grid empty_grid(const std::string& title, bool real_data) const;
  // Arms of recipes on one site, judged on the others that are there.
  Grid site_grid(int site, const std::vector<std::string>& names, int seeds);
  std::filesystem::path folder(const std::string& name) const { return options_.out / "runs" / name; }

  std::string phototour_words() const;  // "PhotoTour", or "a stand-in for PhotoTour (procedural scenes)"
  std::string hpatches_words() const;
  std::string pairs_words(bool real_data) const;  // "1.57 million pairs per run"
  // Command, hardware, minutes since this part began.
  std::vector<std::pair<std::string, std::string>> facts() const;
  void begin_part() { begun_ = std::chrono::steady_clock::now(); }

 private:
  const ReproduceOptions& options_;
  const OptionText& text_;
  std::map<int, std::optional<std::filesystem::path>> sites_;
  Problems problems_;
  std::vector<std::string> notes_;
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

// The values of a figure for an arm, one a seed; empty where it was not scored.
std::vector<double> values_of(const ExperimentResults& results, const std::string& judge, const std::string& arm,
                              const std::string& figure);
const ArmResult* find_arm(const ExperimentResults& results, const std::string& judge, const std::string& arm);

ReproducedPage reproduce_table1(Reproduction& all);
ReproducedPage reproduce_table2(Reproduction& all);
ReproducedPage reproduce_table3(Reproduction& all);
ReproducedPage reproduce_figure2(Reproduction& all);
ReproducedPage reproduce_figure3(Reproduction& all);

// The figures of the hpatches judge that Table 2 and Figure 2 show: verification, matching, retrieval.
inline const std::vector<std::string> kTasks = {"verification", "matching", "retrieval"};
inline std::string task_figure(const std::string& task) { return task + ".trapezoid"; }

}  // namespace adasample
