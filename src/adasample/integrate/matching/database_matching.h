// SPDX-License-Identifier: Apache-2.0
// Pictures of a COLMAP database matched: which pairs, and what of them is there already.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "adasample/features/retrieve/vocabulary.h"
#include "adasample/integrate/matching/match_pairs.h"

namespace adasample {

// One of the three, or all pairs.
struct PairChoice {
  std::string file;    // a list (integrate/matching/pair_list.h)
  int sequential = 0;  // each with so many that follow it by name
  int retrieve = 0;    // each with so many that look like it
  std::string vocabulary =
      "default";  // of retrieve: a file, "default", the shipped one, or "own", made from these pictures

  void validate() const;
};

struct ChosenPairs {
  std::vector<ImagePair> pairs;
  std::vector<std::string> warnings;
};

// Pictures are in the order of their names, which is what `sequential` goes by.
ChosenPairs choose_pairs(const PairSource& source, const PairChoice& choice);

// The `top` most similar of each picture. Features that cannot be read are told in `warnings`.
std::vector<ImagePair> retrieve_pairs(const PairSource& source, int top, const std::string& vocabulary,
                                      std::vector<std::string>& warnings);

struct DatabaseMatching {
  MatchPairsReport report;
  int64_t pictures = 0, asked = 0, kept = 0;  // pairs asked for, and of those there before
  std::vector<std::string> warnings;
};

// Matches what is not there yet, or, if `again`, everything. Throws Error where no two pictures have features.
DatabaseMatching match_database(const std::filesystem::path& database, const PairChoice& choice,
                                const MatchPairsOptions& options, bool again);

// The same for hloc's files: features in, all matches within the limits out, in a new file. Nothing is verified, which
// hloc leaves to COLMAP, and nothing goes on after a stop.
DatabaseMatching match_hloc_features(const std::filesystem::path& features, const std::filesystem::path& out,
                                     const PairChoice& choice, MatchPairsOptions options);

// The features of a database's pictures that have some, by name.
struct DatabasePictures;
std::shared_ptr<DatabasePictures> open_database_pictures(const std::filesystem::path& database);
PairSource source_of(const std::shared_ptr<DatabasePictures>& pictures);

}  // namespace adasample
