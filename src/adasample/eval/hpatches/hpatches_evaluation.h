// SPDX-License-Identifier: Apache-2.0
// All three HPatches tasks on one set of descriptors, and how the figures are shown.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "adasample/eval/hpatches/hpatches_matching.h"
#include "adasample/eval/hpatches/hpatches_retrieval.h"
#include "adasample/eval/hpatches/hpatches_verification.h"
#include "adasample/eval/hpatches/lists/hpatches_tasks.h"

namespace adasample {

struct HpatchesEvalOptions {
  std::string split = "a";  // names the lists
  Norm norm = Norm::kL2;
  std::optional<std::filesystem::path> tasks = {};  // folder of lists
  bool corrected = false;                           // verification also on lists without their known faults

  void validate() const;
};

struct HpatchesFigures {
  std::vector<SequenceShape> shapes;
  std::vector<ListOrigin> lists;
  VerificationResult verification;
  MatchingResult matching;
  RetrievalResult retrieval;
  std::optional<VerificationResult> corrected;
  struct {
    double lists = 0, verification = 0, matching = 0, retrieval = 0;
  } seconds;
};

HpatchesFigures evaluate_hpatches(const DescriptorSet& set, const HpatchesEvalOptions& options);

// docs/formats.md lists the keys. Every average precision comes in both definitions: "trapezoid" and "step".
nlohmann::ordered_json figures_json(const HpatchesFigures& figures, const HpatchesEvalOptions& options);

// A table for people, in per cent.
std::string figures_table(const HpatchesFigures& figures, const HpatchesEvalOptions& options);

}  // namespace adasample
