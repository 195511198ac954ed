// SPDX-License-Identifier: Apache-2.0
// What commands that read pictures share.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "adasample/base/console.h"
#include "adasample/cli/context.h"
#include "adasample/data/photographs/photographs.h"
#include "adasample/data/sequences/sequence_folder.h"
#include "adasample/features/describe/keypoint_detector.h"
#include "adasample/features/describe/picture_file.h"

namespace adasample {

// --region; shows the default as "sift" or "hpatches", one of which it must be.
void add_region_option(CLI::App& command, double& region_factor);
// --contrast, --min-sigma, --overlap, --max-keypoints and --region.
void add_keypoint_options(CLI::App& command, KeypointOptions& options);

// --detector, one of `names`, and --max-keypoints.
void add_detector_options(CLI::App& command, FeatureOptions& options, const std::vector<std::string>& names);
// Those, --upright, --region and --max-side.
void add_picture_options(CLI::App& command, PictureOptions& options);

// --images: a folder of homography sequences, or one; and how their pictures are read.
void add_sequences_option(CLI::App& command, std::string& folder);
ImageSource sequence_pictures();

// Silences the codecs, unless --verbose asks to hear them.
std::unique_ptr<QuietStderr> silence_codecs(const Context& context);

// Names what was left out: the first few one by one, then a count.
void warn_about(const std::vector<SkippedPhotograph>& skipped);
nlohmann::ordered_json skipped_json(const std::vector<SkippedPhotograph>& skipped);

}  // namespace adasample
