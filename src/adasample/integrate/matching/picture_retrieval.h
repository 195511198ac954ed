// SPDX-License-Identifier: Apache-2.0
// Photographs that look alike, found without a database: described, summed up and forgotten, a few in memory.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "adasample/features/feature_options.h"
#include "adasample/features/retrieve/vocabulary.h"
#include "adasample/integrate/matching/pair_list.h"
#include "adasample/model/descriptor.h"

namespace adasample {

struct RetrievedPairs {
  std::vector<std::string> names;
  std::vector<ImagePair> pairs;
  std::vector<std::string> warnings;  // photographs that cannot be read are left out
};

// The vocabulary that `name` means: a file; or "default", the one beside the weights, else the shipped one. `weights`
// is the file of the weights that describe, empty for none; words of other weights are used, with a warning.
Vocabulary vocabulary_named(const std::string& name, const std::string& weights, std::vector<std::string>& warnings);

RetrievedPairs retrieve_from_pictures(const std::filesystem::path& folder, Descriptor& descriptor,
                                      const PictureOptions& options, int top, const Vocabulary& vocabulary);

// Appends `most` descriptors at most of each photograph below the folder; how many photographs there were.
int64_t add_rows_of_pictures(const std::filesystem::path& folder, Descriptor& descriptor, const PictureOptions& options,
                             size_t most, std::vector<float>& rows);

}  // namespace adasample
