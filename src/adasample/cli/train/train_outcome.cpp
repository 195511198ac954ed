// SPDX-License-Identifier: Apache-2.0
#include "adasample/cli/train/train_outcome.h"

#include <fmt/format.h>

#include <algorithm>

#include "adasample/base/error.h"
#include "adasample/base/interrupt.h"
#include "adasample/base/log.h"

namespace adasample {

void show_result(const TrainResult& result, const std::string& out, const Context& context) {
  auto object = result_json(result);
  object["out"] = out;
  std::string text =
      fmt::format("{}: {} pairs in {:.1f} s ({:.0f} pairs/s), weights and report.html in {}", to_string(result.end),
                  result.pairs, result.seconds, result.pairs / std::max(result.seconds, 1e-9), out);
  if (result.best) text += fmt::format(", best FPR95 on --val {:.3f} %", 100 * result.best_score);
  context.show(object, text);
  if (result.end == TrainResult::End::kStopped) {
    log_warning("{}; go on with: adasample train --resume --out {}", result.reason, out);
  }
}

int exit_code_of(const TrainResult& result) {
  if (result.end == TrainResult::End::kStopped) return kInterruptedExitCode;
  ADA_CHECK(result.end == TrainResult::End::kComplete, "[train] {}", result.reason);
  return 0;
}

int show_complete(const RunFolder& run, const Context& context) {
  const std::string folder = run.path().string();
  nlohmann::ordered_json result = run.result();
  result["out"] = folder;
  context.show(result, fmt::format("complete already: {} iterations, weights and report.html in {}",
                                   run.start().state.iteration, folder));
  return 0;
}

}  // namespace adasample
