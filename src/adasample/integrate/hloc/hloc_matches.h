// SPDX-License-Identifier: Apache-2.0
// Features of hloc's files read back to be matched, and matches as hloc keeps them: a group for each pair, named
// first/second with every '/' of the two names as '-', with
//   matches0          int32 [N]    for every keypoint of the first picture that of the second, or -1
//   matching_scores0  float32 [N]  1 - ratio; 0 where there is no match
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "adasample/features/describe_picture.h"
#include "adasample/features/match_pictures.h"

namespace adasample {

struct HlocFeatures {
  std::vector<std::string> names;  // of pictures with keypoints and descriptors, sorted
  // Throws Error that names the file and the dataset. One call at a time.
  std::function<DescribedPicture(const std::string& name)> read;
};

// By a process of its own, as open_hloc_keypoints() of integrate/hloc/hloc_h5.h.
HlocFeatures open_hloc_features(const std::filesystem::path& path);

class HlocMatchWriter {
 public:
  virtual ~HlocMatchWriter() = default;
  virtual void add(const std::string& first, const std::string& second, size_t keypoints,
                   std::span<const RatedMatch> matches) = 0;
  virtual void finish() = 0;  // makes the file appear
};

std::unique_ptr<HlocMatchWriter> make_hloc_match_writer(const std::filesystem::path& out);

}  // namespace adasample
