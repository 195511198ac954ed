// SPDX-License-Identifier: Apache-2.0
#include "adasample/eval/hpatches/hpatches_evaluation.h"

#include <chrono>

#include "adasample/base/error.h"
#include "adasample/eval/hpatches/lists/hpatches_generator.h"

namespace adasample {
namespace {

template <typename Work>
auto timed(double& seconds, const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  auto result = work();
  seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace

void HpatchesEvalOptions::validate() const {
  ADA_USAGE(!split.empty(), "HpatchesEvalOptions::split = \"\", must be the name of a split");
}

HpatchesFigures evaluate_hpatches(const DescriptorSet& set, const HpatchesEvalOptions& options) {
  options.validate();
  HpatchesFigures figures;
  figures.shapes = set.shapes();
  auto& seconds = figures.seconds;
  HpatchesTasks tasks =
      timed(seconds.lists, [&] { return prepare_tasks(figures.shapes, options.split, options.tasks); });
  figures.lists = std::move(tasks.origins);
  figures.verification =
      timed(seconds.verification, [&] { return evaluate_verification(set, tasks.verification, options.norm); });
  figures.matching = timed(seconds.matching, [&] { return evaluate_matching(set, options.norm); });
  figures.retrieval = timed(seconds.retrieval, [&] { return evaluate_retrieval(set, tasks.retrieval, options.norm); });
  if (options.corrected) {
    figures.corrected =
        evaluate_verification(set, draw_verification(figures.shapes, {.corrected = true}), options.norm);
  }
  return figures;
}

}  // namespace adasample
