// SPDX-License-Identifier: Apache-2.0
// The lists of the tasks for a set: read from a folder of the benchmark's files where it has them, else drawn.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "adasample/eval/hpatches_lists.h"

namespace adasample {

// Where a list came from, for the record.
struct ListOrigin {
  std::string file;        // "verif_pos_split-a.csv"
  bool read = false;       // else drawn
  std::string git_blob;    // of its text
  bool published = false;  // the text is the benchmark's own
};

struct HpatchesTasks {
  VerificationLists verification;
  RetrievalLists retrieval;
  std::vector<ListOrigin> origins;  // as kListKinds
};

// The three verification lists are read if the folder holds any of them, else drawn; likewise the two of retrieval.
// Throws Error when one of them is missing or lists differ in length that must not. Where the set has the release's
// patch counts and a drawn list is nevertheless not the published one, it warns.
HpatchesTasks prepare_tasks(std::vector<SequenceShape> shapes, const std::string& split,
                            const std::optional<std::filesystem::path>& folder);

}  // namespace adasample
