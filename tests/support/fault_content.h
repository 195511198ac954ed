// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "adasample/model/checkpoint.h"

namespace adasample::testing {

// More than FileWriter's buffer, and no two stretches alike.
inline std::string fault_content() {
  std::string content;
  for (int i = 0; i < 12000; ++i) content += std::to_string(i) + "\n";
  return content;
}

// Of iteration 5; `best` tells two of them apart.
inline Checkpoint fault_checkpoint(int64_t best) {
  Checkpoint checkpoint;
  checkpoint.state.iteration = 5;
  checkpoint.state.best_iteration = best;
  checkpoint.network = {{"w", {"F32", {1}, "abcd"}}};
  return checkpoint;
}

}  // namespace adasample::testing
