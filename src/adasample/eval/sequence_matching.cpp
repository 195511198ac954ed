// SPDX-License-Identifier: Apache-2.0
#include "adasample/eval/sequence_matching.h"

#include <algorithm>
#include <numeric>

#include "adasample/base/error.h"
#include "adasample/base/interrupt.h"
#include "adasample/base/parallel.h"
#include "adasample/base/progress.h"
#include "adasample/data/detector.h"
#include "adasample/data/orientation.h"
#include "adasample/data/patch_cutter.h"
#include "adasample/data/region_overlap.h"
#include "adasample/eval/patch_source.h"

namespace adasample {
namespace {

constexpr int kSmallestPatch = 8, kLargestPatch = 128;  // pixels

std::vector<Keypoint> find_keypoints(const ScalePyramid& picture, const SequenceMatchingOptions& options) {
  const std::vector<Keypoint> all = detect(*make_detector(options.detector), picture);
  std::vector<Keypoint> kept;
  for (const size_t i : strongest_first(all)) {
    if (kept.size() == static_cast<size_t>(options.max_keypoints)) break;
    kept.push_back(all[i]);
    kept.back().angle = dominant_orientation(picture, all[i]);
  }
  return kept;
}

struct DescribedPicture {
  ViewedKeypoints keypoints;
  std::vector<float> descriptors;  // (keypoints, dimension)
};

DescribedPicture describe(const ScalePyramid& picture, const std::vector<Keypoint>& keypoints, Descriptor& descriptor,
                          const SequenceMatchingOptions& options, Progress& progress, double& seconds) {
  DescribedPicture described;
  described.keypoints = {{}, picture.width(), picture.height()};
  for (const Keypoint& k : keypoints) described.keypoints.places.push_back({k.x, k.y});
  const PatchSource source = {options.size, [&](int64_t index, std::span<uint8_t> out) {
                                const Keypoint& k = keypoints[static_cast<size_t>(index)];
                                cut(picture, keypoint_frame(k, options.region_factor, options.size), options.size,
                                    out.data());
                              }};
  std::vector<int64_t> all(keypoints.size());
  std::iota(all.begin(), all.end(), 0);
  described.descriptors = describe_patches(source, descriptor, all, progress, seconds);
  return described;
}

}  // namespace

void SequenceMatchingOptions::validate() const {
  make_detector(detector);
  ADA_USAGE(max_keypoints >= 4 && max_keypoints <= 1'000'000,
            "SequenceMatchingOptions::max_keypoints = {}, must be 4 to 1,000,000", max_keypoints);
  ADA_USAGE(region_factor >= 1 && region_factor <= 100, "SequenceMatchingOptions::region_factor = {}, must be 1 to 100",
            region_factor);
  ADA_USAGE(size >= kSmallestPatch && size <= kLargestPatch, "SequenceMatchingOptions::size = {}, must be {} to {}",
            size, kSmallestPatch, kLargestPatch);
}

std::vector<MatchedSequence> match_sequences(const std::filesystem::path& folder, const ImageSource& source,
                                             Descriptor& descriptor, const HomographyEstimator& estimate,
                                             const SequenceMatchingOptions& options, double& seconds) {
  options.validate();
  const std::vector<std::filesystem::path> folders = sequence_folders(folder);
  std::vector<MatchedSequence> results;
  Progress progress("sequences", "sequences", std::ssize(folders));
  for (const std::filesystem::path& one : folders) {
    if (stop_requested()) ADA_THROW_KIND(kInterrupted, "[eval] interrupted while matching sequences");
    const SequenceFiles files = find_sequence(one, source);
    const Sequence sequence = read_sequence(files, source);
    std::vector<std::vector<Keypoint>> keypoints(sequence.images.size());
    parallel_for(std::ssize(keypoints), [&](int64_t i) {
      keypoints[static_cast<size_t>(i)] = find_keypoints(*sequence.images[static_cast<size_t>(i)], options);
    });

    MatchedSequence result{.name = files.name, .keypoints = {}, .pairs = {}};
    DescribedPicture ref;
    for (size_t i = 0; i < keypoints.size(); ++i) {
      Progress patches("describing", "patches", std::ssize(keypoints[i]));
      DescribedPicture picture = describe(*sequence.images[i], keypoints[i], descriptor, options, patches, seconds);
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
