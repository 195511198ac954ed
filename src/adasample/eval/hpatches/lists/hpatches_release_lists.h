// SPDX-License-Identifier: Apache-2.0
// What is known of the task lists that the benchmark publishes: the git blob hashes of its files, by which a list is
// recognised, and which reference patches the retrieval lists of splits a, b and c passed over as too flat, so that
// these can be drawn again without looking at patches.
#pragma once

#include <span>
#include <string>

#include "adasample/eval/hpatches/lists/hpatches_lists.h"

namespace adasample {

// The hash of the published list ("verif_pos", ..) of a split, or its first 8 digits where no more is known; empty when
// nothing is known.
std::string published_blob(const std::string& kind, const std::string& split);

// Whether these are the sequences of the benchmark's split of that name, in its order.
bool has_names_of(const std::vector<SequenceShape>& shapes, const std::string& split);

// Of sequences of the release, the first with another patch count than there, in words; empty when there is none.
std::string first_other_count(const std::vector<SequenceShape>& shapes);

// Whether both names and patch counts are the release's.
bool is_release(const std::vector<SequenceShape>& shapes, const std::string& split);

// Fills in `textured` where `shapes` are the release's split a, b or c and lack it; else changes nothing.
void recall_texture(std::vector<SequenceShape>& shapes, const std::string& split);

struct FlatPatches {
  const char* sequence;
  const char* patches;  // numbers between blanks
};

// A standard deviation of 10 grey levels or less; only of patches that came up in the draws for splits a, b and c.
std::span<const FlatPatches> hpatches_flat_patches();

}  // namespace adasample
