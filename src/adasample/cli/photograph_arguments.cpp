// SPDX-License-Identifier: Apache-2.0
#include "adasample/cli/photograph_arguments.h"

#include "adasample/base/conventions.h"
#include "adasample/base/log.h"
#include "adasample/features/detect/keypoint_detector.h"

namespace adasample {
namespace {

// "sift", "hpatches" or a number of sigmas.
std::string region_number(std::string text) {
  if (text == "sift") return std::to_string(kSiftRegion);
  if (text == "hpatches") return std::to_string(kHpatchesRegion);
  return text;
}

}  // namespace

void add_region_option(CLI::App& command, double& region_factor) {
  command
      .add_option("--region", region_factor,
                  "Half width of the region cut around a keypoint, in sigmas: sift (6, SIFT's own), hpatches (5) "
                  "or a number")
      ->transform(CLI::Validator(
          [](std::string& text) {
            text = region_number(text);
            return std::string();
          },
          ""))
      ->default_str(region_factor == kSiftRegion ? "sift" : "hpatches");
}

void add_keypoint_options(CLI::App& command, FeatureOptions& options) {
  add_detector_options(command, options);
  add_region_option(command, options.region_factor);
  command
      .add_option("--contrast", options.min_contrast, "Minimum contrast of a keypoint, as a fraction of the grey range")
      ->capture_default_str();
  command.add_option("--min-sigma", options.min_sigma, "Minimum scale of a keypoint, pixels")->capture_default_str();
  command
      .add_option("--overlap", options.max_overlap,
                  "Maximum overlap of two keypoints' regions (intersection over union); the stronger one stays")
      ->capture_default_str();
}

void add_detector_options(CLI::App& command, FeatureOptions& options) {
  const std::vector<std::string> names = keypoint_detector_names();
  command.add_option("--detector", options.detector, "dog, hessian, harris; by OpenCV: sift, orb, akaze, brisk")
      ->check(CLI::IsMember(names))
      ->capture_default_str();
  command
      .add_option("--max-keypoints", options.max_keypoints,
                  "Maximum keypoints per picture, strongest first; for sift this counts places, each with one or two "
                  "orientations")
      ->capture_default_str();
}

void add_picture_options(CLI::App& command, PictureOptions& options) {
  add_detector_options(command, options.features);
  command.add_flag("--upright", options.features.upright, "Do not rotate patches to the dominant gradient");
  add_region_option(command, options.features.region_factor);
  command.add_option("--max-side", options.max_side, "Halve larger pictures until they fit, pixels")
      ->capture_default_str();
}

void prepare_pictures(const PictureOptions& options) {
  options.validate();
  make_keypoint_detector(options.features);
}

void add_sequences_option(CLI::App& command, std::string& folder) {
  command
      .add_option(
          "--images", folder,
          "A folder of sequences, or one: pictures 1.* to 6.* (or fewer, two at least), homographies H_1_2 to H_1_6")
      ->required()
      ->type_name("DIR");
}

void warn_about(const std::vector<SkippedPhotograph>& skipped) {
  std::vector<std::string> messages;
  for (const SkippedPhotograph& s : skipped) messages.push_back(fmt::format("left out {}: {}", s.file, s.why));
  log_first_warnings(messages, "pictures; --json names them all");
}

nlohmann::ordered_json skipped_json(const std::vector<SkippedPhotograph>& skipped) {
  auto list = nlohmann::ordered_json::array();
  for (const SkippedPhotograph& s : skipped) list.push_back({{"file", s.file}, {"why", s.why}});
  return list;
}

}  // namespace adasample
