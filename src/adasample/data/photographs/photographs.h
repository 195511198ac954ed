// SPDX-License-Identifier: Apache-2.0
// Patch stores from plain photographs: keypoints of each, K jittered views of every keypoint. Whole photographs are
// held out, never patches: two stores of one call share no picture.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "adasample/data/views/view_class.h"
#include "adasample/image/image.h"

namespace adasample {

// Where the pictures come from. The functions are called from several threads.
struct PhotographSource {
  std::filesystem::path folder;
  std::vector<std::string> files;  // relative to the folder
  std::function<GrayImage(const std::filesystem::path&)> read;
  // Of the picture, which may be smaller than the file's by the factor `reduction`.
  std::function<std::vector<Keypoint>(const std::string& file, const GrayImage& picture, double reduction)> keypoints;
};

struct PhotographOptions {
  ViewClassOptions cut = {.jpeg = true};
  int per_image = 200;  // classes a photograph, at most; drawn at random among its keypoints
  int max_side = 3000;  // pixels; a larger picture is halved until it fits, which bounds the memory
  double holdout = 0;   // share of the photographs that go to the second store
  uint64_t seed = 0;

  void validate() const;
};

// A photograph left out, and why: unreadable, a copy of another, nothing to be seen in it.
struct SkippedPhotograph {
  std::string file, why;
};

struct PhotographReport {
  int64_t used = 0, heldout = 0;  // photographs in the two stores
  std::vector<SkippedPhotograph> skipped;
};

// Writes the store `out` and, with a holdout, `heldout_out`; neither may exist. The bytes depend on the photographs and
// the options alone, not on the thread count; the names of the files only order the classes. Throws Error when no
// photograph is usable.
PhotographReport make_photograph_stores(const PhotographSource& source, const PhotographOptions& options,
                                        const std::filesystem::path& out, const std::filesystem::path& heldout_out);

// A photograph in the `scenes` of a store, whatever its file is called: the first digits of the file's sha256.
inline std::string scene_of(const std::string& sha256) { return sha256.substr(0, 16); }

}  // namespace adasample
