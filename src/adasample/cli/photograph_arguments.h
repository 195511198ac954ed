// SPDX-License-Identifier: Apache-2.0
// What commands that read pictures share.
#pragma once

#include <string>
#include <vector>

#include "adasample/cli/context.h"
#include "adasample/data/photographs/photographs.h"
#include "adasample/features/feature_options.h"

namespace adasample {

// --region; shows the default as "sift" or "hpatches", one of which it must be.
void add_region_option(CLI::App& command, double& region_factor);
// --detector, --contrast, --min-sigma, --overlap, --max-keypoints and --region.
void add_keypoint_options(CLI::App& command, FeatureOptions& options);

// --detector and --max-keypoints.
void add_detector_options(CLI::App& command, FeatureOptions& options);
// Those, --upright, --region and --max-side.
void add_picture_options(CLI::App& command, PictureOptions& options);

// Validates them; a detector that another program has is asked for before the work begins.
void prepare_pictures(const PictureOptions& options);

// --images: a folder of homography sequences, or one.
void add_sequences_option(CLI::App& command, std::string& folder);

// Names what was left out: the first few one by one, then a count.
void warn_about(const std::vector<SkippedPhotograph>& skipped);
nlohmann::ordered_json skipped_json(const std::vector<SkippedPhotograph>& skipped);

}  // namespace adasample
