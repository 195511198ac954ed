// SPDX-License-Identifier: Apache-2.0
// The lists of the tasks for a set: read from a folder of the benchmark's files where it has them, else drawn.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "adasample/eval/hpatches/lists/hpatches_lists.h"

namespace adasample {

// Where a list came from, for the record.
struct ListOrigin {
  std::string file;                    // "verif_pos_split-a.csv"
  bool read = false;                   // else drawn
  std::string git_blob;                // of its text
  std::optional<bool> published = {};  // whether the text is the benchmark's own; none where that is not known
};

struct HpatchesTasks {
  VerificationLists verification;
  RetrievalLists retrieval;
  std::vector<ListOrigin> origins;  // as kListKinds
};

// What can be said before anything is described. Throws Error when there are fewer than two sequences: negatives and
// distractors come from others than the query's own, and without them any descriptor retrieves 100 %. Throws Error,
// too, when the folder holds none of the split's lists, or some but not all of a task's.
void check_tasks(size_t sequences, const std::string& split, const std::optional<std::filesystem::path>& folder);

// The three verification lists are read if the folder holds any of them, else drawn; likewise the two of retrieval.
// Throws Error as check_tasks(), for lists that differ in length and must not, and for a query without a distractor of
// another sequence. Warns where the sequences are the split's and their patch counts are not the release's; and where
// the counts are, but a list is not the published one.
HpatchesTasks prepare_tasks(std::vector<SequenceShape> shapes, const std::string& split,
                            const std::optional<std::filesystem::path>& folder);

}  // namespace adasample
