// SPDX-License-Identifier: Apache-2.0
#include "adasample/integrate/colmap/colmap_features.h"

#include <fmt/format.h>

#include "adasample/base/error.h"
#include "adasample/base/text.h"
#include "adasample/integrate/colmap/colmap_keypoints.h"

namespace adasample {
namespace {

constexpr int64_t kColumns = 4, kLargestDimension = 100'000;

}  // namespace

std::vector<Keypoint> parse_colmap_features(std::string_view text, const std::string& name) {
  TextReader reader(text, "colmap", name);
  ADA_CHECK(reader.next(), "[colmap] {}: expected a line `NUM DIM`, found an empty file", name);
  if (reader.fields().size() != 2) reader.fail("two whole numbers, `NUM DIM`", shown(reader.line()));
  const auto count = reader.number<int64_t>(0, "the number of keypoints"),
             dimension = reader.number<int64_t>(1, "the dimension of the descriptors");
  if (count < 0) reader.fail("the number of keypoints, 0 or more", shown(reader.fields()[0]));
  if (dimension < 0 || dimension > kLargestDimension) {
    reader.fail(fmt::format("a dimension of 0 to {}", kLargestDimension), shown(reader.fields()[1]));
  }
  std::vector<float> rows;  // (keypoints, 4)
  while (reader.next()) {
    if (std::ssize(rows) / kColumns == count) reader.fail(fmt::format("{} keypoints", count), "one more line");
    if (std::ssize(reader.fields()) != kColumns + dimension) {
      reader.fail(fmt::format("{} numbers", kColumns + dimension), fmt::format("{} fields", reader.fields().size()));
    }
    for (size_t i = 0; i < kColumns; ++i) rows.push_back(reader.number<float>(i, "x, y, scale and orientation"));
  }
  ADA_CHECK(std::ssize(rows) / kColumns == count, "[colmap] {}: expected {} keypoints, found {} - truncated?", name,
            count, rows.size() / kColumns);
  return colmap_keypoints(rows, kColumns, name);
}

}  // namespace adasample
