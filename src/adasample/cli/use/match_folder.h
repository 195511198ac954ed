// SPDX-License-Identifier: Apache-2.0
// The work of `adasample match` on a folder: a COLMAP database filled with matches, or hloc's files.
#pragma once

#include <string>

#include "adasample/cli/context.h"
#include "adasample/integrate/colmap/colmap_export.h"
#include "adasample/integrate/matching/database_matching.h"

namespace adasample {

struct MatchFolderArguments {
  std::string images, database, features, out, model = "default";
  bool again = false;
  PairChoice choice;
  MatchPairsOptions options;
  ColmapExportOptions pictures;

  void validate() const;
};

// --pairs, --sequential, --retrieve and --vocabulary.
void add_pair_options(CLI::App& command, PairChoice& choice);

// --camera-model and --single-camera.
void add_camera_options(CLI::App& command, ColmapExportOptions& options);

int match_folder(const Context& context, MatchFolderArguments arguments);

// Describes the photographs that the database has no features of; says how many, and which cannot be read.
ColmapExportReport describe_new(const Context& context, const std::string& images, const std::string& database,
                                const std::string& model, ColmapExportOptions options, PairChoice& choice);

}  // namespace adasample
