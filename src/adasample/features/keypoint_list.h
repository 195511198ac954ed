// SPDX-License-Identifier: Apache-2.0
// Keypoints of a folder of pictures as a text file, so that a machine without a detector can cut patches: CSV with the
// header `file,x,y,scale,angle`. x and y are pixels of the picture with centres at integers, scale is sigma in pixels,
// angle degrees clockwise as seen; a file name with a comma, a quote or a blank at either end stands in quotes.
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adasample/features/keypoint.h"
#include "adasample/image/image.h"

namespace adasample {

using KeypointList = std::map<std::string, std::vector<Keypoint>>;  // by file, relative to the folder of pictures

// Throws Error, naming `name` and the line, on anything but such lines.
KeypointList parse_keypoint_list(std::string_view text, const std::string& name);
KeypointList read_keypoint_list(const std::filesystem::path& path);

// The keypoints of a picture in pixels of a copy that is `reduction` times smaller. Throws Error, naming `file`, when
// one lies outside: the list was made from another picture, or another size of it.
std::vector<Keypoint> place_keypoints(const std::vector<Keypoint>& keypoints, const std::string& file,
                                      const GrayImage& picture, double reduction);

// Sorted by file; coordinates to a thousandth.
std::string format_keypoint_list(const KeypointList& list);
// The same in parts: a list is the header and then the lines of each file.
inline constexpr std::string_view kKeypointListHeader = "file,x,y,scale,angle";
std::string format_keypoints(const std::string& file, std::span<const Keypoint> keypoints);

}  // namespace adasample
