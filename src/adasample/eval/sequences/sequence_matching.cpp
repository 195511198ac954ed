// SPDX-License-Identifier: Apache-2.0
#include "adasample/eval/sequences/sequence_matching.h"

#include "adasample/base/error.h"
#include "adasample/base/interrupt.h"
#include "adasample/base/parallel.h"
#include "adasample/base/progress.h"
#include "adasample/features/describe/picture_features.h"
#include "adasample/features/detect/keypoint_detector.h"

namespace adasample {
namespace {

constexpr int kFewestOfAHomography = 4;

struct DescribedView {
  ViewedKeypoints keypoints;
  std::vector<float> descriptors;  // (keypoints, dimension)
};

DescribedView describe(const ScalePyramid& picture, const std::vector<Keypoint>& keypoints, Descriptor& descriptor,
                       const FeatureOptions& options, double& seconds) {
  DescribedView described;
  described.keypoints = {{}, picture.width(), picture.height()};
  for (const Keypoint& k : keypoints) described.keypoints.places.push_back({k.x, k.y});
  Progress progress("describing", "patches", std::ssize(keypoints));
  described.descriptors = describe_keypoints(picture, keypoints, descriptor, options, progress, seconds);
  return described;
}

}  // namespace

void check_matching_options(const FeatureOptions& options) {
  options.validate();
  ADA_USAGE(options.max_keypoints >= kFewestOfAHomography, "FeatureOptions::max_keypoints = {}, must be {} at least",
            options.max_keypoints, kFewestOfAHomography);
}

std::vector<MatchedSequence> match_sequences(const std::filesystem::path& folder, Descriptor& descriptor,
                                             const HomographyEstimator& estimate, const FeatureOptions& options,
                                             double& seconds) {
  check_matching_options(options);
  const auto detector = make_keypoint_detector(options);
  const std::vector<std::filesystem::path> folders = sequence_folders(folder);
  std::vector<MatchedSequence> results;
  Progress progress("sequences", "sequences", std::ssize(folders));
  for (const std::filesystem::path& one : folders) {
    if (stop_requested()) ADA_THROW_KIND(kInterrupted, "[eval] interrupted while matching sequences");
    const SequenceFiles files = find_sequence(one);
    const Sequence sequence = read_sequence(files);
    std::vector<std::vector<Keypoint>> keypoints(sequence.images.size());
    parallel_for(std::ssize(keypoints), [&](int64_t i) {
      keypoints[static_cast<size_t>(i)] = detector->detect(*sequence.images[static_cast<size_t>(i)]);
    });

    MatchedSequence result{.name = files.name, .keypoints = {}, .pairs = {}};
    DescribedView ref;
    for (size_t i = 0; i < keypoints.size(); ++i) {
      DescribedView picture = describe(*sequence.images[i], keypoints[i], descriptor, options, seconds);
      result.keypoints.push_back(std::ssize(keypoints[i]));
      if (i == 0) {
        ref = std::move(picture);
        continue;
      }
      const auto matches = mutual_matches(ref.descriptors, picture.descriptors, descriptor.dimension());
      result.pairs.push_back(
          score_matches(ref.keypoints, picture.keypoints, matches, sequence.target_from_ref[i - 1], estimate));
    }
    results.push_back(std::move(result));
    progress.add(1);
  }
  return results;
}

}  // namespace adasample
