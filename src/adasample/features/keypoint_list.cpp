// SPDX-License-Identifier: Apache-2.0
#include "adasample/features/keypoint_list.h"

#include <fmt/format.h>

#include <iterator>
#include <numbers>

#include "adasample/base/error.h"
#include "adasample/base/files/file_io.h"
#include "adasample/base/text.h"

namespace adasample {
namespace {

constexpr double kDegrees = std::numbers::pi / 180;
constexpr double kLargest = 1e7;  // pixels; far beyond any picture
constexpr double kLeast = -1;     // pixels; the border, and a little

std::string quoted(const std::string& name) {
  if (name.find_first_of(",\"") == std::string::npos && trimmed(name) == name) return name;
  std::string text = "\"";
  for (const char c : name) text += c == '"' ? "\"\"" : std::string(1, c);
  return text + "\"";
}

// Takes a file name off the front of `rest`, with the comma behind it; false when there is none.
bool take_name(std::string_view& rest, std::string& name) {
  name.clear();
  size_t at = 0;
  if (!rest.empty() && rest[0] == '"') {
    for (at = 1;; ++at) {
      if (at >= rest.size()) return false;
      if (rest[at] == '"' && (at + 1 >= rest.size() || rest[at + 1] != '"')) break;
      if (rest[at] == '"') ++at;
      name += rest[at];
    }
    ++at;
  } else {
    at = std::min(rest.find(','), rest.size());
    name = trimmed(rest.substr(0, at));
  }
  if (at >= rest.size() || rest[at] != ',') return false;
  rest.remove_prefix(at + 1);
  return !name.empty();
}

}  // namespace

KeypointList parse_keypoint_list(std::string_view text, const std::string& name) {
  KeypointList list;
  TextReader reader(text, "keypoints", name);
  ADA_CHECK(reader.next(), "[keypoints] {}: expected the header '{}', found an empty file", name, kKeypointListHeader);
  if (reader.line() != kKeypointListHeader)
    reader.fail(fmt::format("the header '{}'", kKeypointListHeader), shown(reader.line()));
  std::string file;
  while (reader.next()) {
    std::string_view rest = reader.line();
    if (!take_name(rest, file)) reader.fail("'file,x,y,scale,angle'", shown(reader.line()));
    TextReader numbers(rest, "keypoints", name);
    numbers.next();
    if (numbers.fields(',').size() != 4) reader.fail("a file name and four numbers", shown(reader.line()));
    const auto number = [&](size_t index, double low, double high, std::string_view what) {
      double value = 0;
      const std::string_view field = numbers.fields(',')[index];
      if (!parse_number(field, value) || value < low || value > high) {
        reader.fail(fmt::format("{} from {} to {}", what, low, high), shown(field));
      }
      return value;
    };
    list[file].push_back({.x = number(0, kLeast, kLargest, "x"),
                          .y = number(1, kLeast, kLargest, "y"),
                          .sigma = number(2, 1e-3, kLargest, "the scale"),
                          .angle = number(3, -360, 360, "the angle in degrees") * kDegrees});
  }
  return list;
}

KeypointList read_keypoint_list(const std::filesystem::path& path) {
  return parse_keypoint_list(read_text(path), path.string());
}

std::vector<Keypoint> place_keypoints(const std::vector<Keypoint>& keypoints, const std::string& file,
                                      const GrayImage& picture, double reduction) {
  std::vector<Keypoint> placed;
  for (const Keypoint& k : keypoints) {
    const double x = k.x / reduction, y = k.y / reduction;
    ADA_CHECK(k.x >= kLeast && k.y >= kLeast && x <= picture.width && y <= picture.height,
              "[keypoints] {}: expected keypoints within {} x {} pixels, found one at ({:.1f}, {:.1f}) - of "
              "another size of the picture?",
              file, reduction * picture.width, reduction * picture.height, k.x, k.y);
    placed.push_back({.x = x, .y = y, .sigma = k.sigma / reduction, .angle = k.angle, .strength = k.strength});
  }
  return placed;
}

std::string format_keypoints(const std::string& file, std::span<const Keypoint> keypoints) {
  std::string text;
  for (const Keypoint& k : keypoints) {
    fmt::format_to(std::back_inserter(text), "{},{:.3f},{:.3f},{:.3f},{:.3f}\n", quoted(file), k.x, k.y, k.sigma,
                   k.angle / kDegrees);
  }
  return text;
}

std::string format_keypoint_list(const KeypointList& list) {
  std::string text = std::string(kKeypointListHeader) + "\n";
  for (const auto& [file, keypoints] : list) text += format_keypoints(file, keypoints);
  return text;
}

}  // namespace adasample
