// SPDX-License-Identifier: Apache-2.0
#include "adasample/integrate/given_keypoints.h"

#include "adasample/base/error.h"
#include "adasample/base/files/file_io.h"
#include "adasample/features/keypoint_list.h"
#include "adasample/integrate/colmap/colmap_features.h"
#include "adasample/integrate/hloc/hloc_h5.h"

namespace adasample {

bool holds_one_picture(const std::filesystem::path& file) { return file.extension() == ".txt"; }

KeypointReader open_keypoints(const std::filesystem::path& file) {
  if (file.extension() == ".h5") return open_hloc_keypoints(file);
  if (file.extension() == ".txt") {
    return [keypoints = parse_colmap_features(read_text(file), file.string())](const std::string& /*picture*/) {
      return GivenKeypoints{keypoints};
    };
  }
  ADA_USAGE(file.extension() == ".csv", "{}: expected the name of a .csv, .txt or .h5 file of keypoints",
            file.string());
  return [list = read_keypoint_list(file)](const std::string& picture) {
    const auto found = list.find(picture);
    return GivenKeypoints{found == list.end() ? std::vector<Keypoint>() : found->second};
  };
}

}  // namespace adasample
