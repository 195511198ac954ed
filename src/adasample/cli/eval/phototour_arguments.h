// SPDX-License-Identifier: Apache-2.0
// What the commands that score descriptors on a PhotoTour set share: the set, and its descriptors by a model or from a
// file.
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "adasample/base/conventions.h"
#include "adasample/cli/model_argument.h"
#include "adasample/data/phototour/phototour.h"
#include "adasample/eval/descriptors/patch_rows.h"

namespace adasample {

struct PhotoTourArguments {
  std::string root, model, descriptors;
  int size = kPatchSize;

  // --root, --model or --descriptors, --size. `files` are those of the set that the command needs.
  void add_options(CLI::App& command, const std::string& files);
  void validate() const;
};

// Opened last, when the rest of what a command needs is known to be there. `set` must outlive it.
class DescribedPhotoTour {
 public:
  DescribedPhotoTour(const PhotoTourArguments& arguments, const PhotoTour& set, const Context& context);
  DescribedPhotoTour(const DescribedPhotoTour&) = delete;
  DescribedPhotoTour& operator=(const DescribedPhotoTour&) = delete;

  const PatchRows& rows() const { return rows_; }
  // What was scored, with fingerprints, for the result.
  nlohmann::ordered_json record() const;

 private:
  PhotoTourArguments arguments_;
  const PhotoTour& set_;
  OpenedModel opened_;  // none for a file
  PatchSource source_;
  double seconds_ = 0;
  PatchRows rows_;
};

}  // namespace adasample
