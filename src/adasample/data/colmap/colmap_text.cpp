// SPDX-License-Identifier: Apache-2.0
// COLMAP's text form. Lines of '#' and blank lines are skipped as COLMAP does, but for the comment in which it says how
// many records there are: text has no other sign of being cut short. The second line of an image, its points, may be
// blank.
#include <optional>
#include <utility>

#include "adasample/base/error.h"
#include "adasample/base/text.h"
#include "adasample/data/colmap/colmap_builder.h"

namespace adasample {
namespace {

constexpr const char* kModule = "colmap";
constexpr size_t kCameraFields = 4;  // before the parameters
constexpr size_t kImageFields = 10;
constexpr size_t kPointFields = 8;  // before the track

std::string_view text_of(const ColmapFiles::File& file) {
  return {reinterpret_cast<const char*>(file.bytes.data()), file.bytes.size()};
}

// N of COLMAP's comment "# Number of points: N, mean track length: ..", where `records` is "points".
std::optional<uint64_t> announced_count(std::string_view comment, std::string_view records) {
  const std::string head = fmt::format("# Number of {}:", records);
  if (!comment.starts_with(head)) return {};
  const std::string_view rest = comment.substr(head.size());
  uint64_t count = 0;
  if (!parse_number(trimmed(rest.substr(0, rest.find(','))), count)) return {};
  return count;
}

template <size_t n>
std::array<double, n> numbers(const TextReader& reader, size_t first, std::string_view what) {
  std::array<double, n> values;
  for (size_t i = 0; i < n; ++i) values[i] = reader.number<double>(first + i, what);
  return values;
}

ColmapCamera camera_of(TextReader& reader, const ColmapFail& fail) {
  const auto& fields = reader.fields();
  ColmapCamera camera;
  camera.id = reader.number<uint32_t>(0, "a camera id");
  if (fields.size() < kCameraFields) fail("CAMERA_ID MODEL WIDTH HEIGHT PARAMS[]", shown(reader.line()));
  camera.model = colmap_camera_model(fields[1], fail);
  camera.width = reader.number<int>(2, "a width");
  camera.height = reader.number<int>(3, "a height");
  for (size_t i = kCameraFields; i < fields.size(); ++i) {
    camera.parameters.push_back(reader.number<double>(i, "a camera parameter"));
  }
  return camera;
}

// The first line of an image.
ColmapImage image_of(TextReader& reader, const ColmapFail& fail) {
  const auto& fields = reader.fields();
  ColmapImage image;
  image.id = reader.number<uint32_t>(0, "an image id");
  image.rotation = numbers<4>(reader, 1, "QW QX QY QZ");
  image.translation = numbers<3>(reader, 5, "TX TY TZ");
  image.camera = reader.number<uint32_t>(8, "a camera id");
  if (fields.size() < kImageFields) fail("the name of a photograph", "the line ends before it");
  image.name = std::string(fields[9].data(), reader.line().data() + reader.line().size());  // names may have blanks
  return image;
}

// The second line of an image.
std::vector<ColmapPoint2D> points_of(TextReader& reader, const ColmapFail& fail) {
  const auto& fields = reader.fields();
  if (fields.size() % 3 != 0) fail("X Y POINT3D_ID again and again", fmt::format("{} fields", fields.size()));
  std::vector<ColmapPoint2D> points;
  points.reserve(fields.size() / 3);
  for (size_t i = 0; i < fields.size(); i += 3) {
    const auto [x, y] = numbers<2>(reader, i, "a coordinate");
    const auto id = reader.number<int64_t>(i + 2, "the id of a 3D point, or -1");
    if (id < -1) fail("the id of a 3D point, or -1", fmt::format("{}", id));
    points.push_back({x, y, static_cast<uint64_t>(id)});  // -1 becomes kNoPoint3D
  }
  return points;
}

ColmapPoint point_of(TextReader& reader, const ColmapFail& fail) {
  const auto& fields = reader.fields();
  ColmapPoint point;
  point.id = reader.number<uint64_t>(0, "the id of a 3D point");
  point.position = numbers<3>(reader, 1, "X Y Z");
  for (size_t i = 0; i < 3; ++i) point.colour[i] = reader.number<uint8_t>(4 + i, "a colour of 0 to 255");
  point.error = reader.number<double>(7, "a reprojection error");
  if ((fields.size() - kPointFields) % 2 != 0) {
    fail("IMAGE_ID POINT2D_IDX again and again", fmt::format("{} fields of track", fields.size() - kPointFields));
  }
  for (size_t i = kPointFields; i < fields.size(); i += 2) {
    point.track.push_back(
        {reader.number<uint32_t>(i, "an image id"), reader.number<uint32_t>(i + 1, "the index of a point2D")});
  }
  return point;
}

// Calls `take(reader, fail)` for each record of the file; there must be as many as its comment says, if it does.
template <typename Take>
void each_record(const ColmapFiles::File& file, std::string_view records, Take take) {
  TextReader reader(text_of(file), kModule, file.name);
  const ColmapFail fail = [&](std::string_view expected, std::string_view found) { reader.fail(expected, found); };
  std::optional<uint64_t> announced;
  int64_t announced_in = 0;  // line
  uint64_t count = 0;
  while (reader.next()) {
    if (reader.line().empty()) continue;
    if (reader.line()[0] != '#') {
      take(reader, fail);
      ++count;
    } else if (const auto n = announced_count(reader.line(), records)) {
      announced = n;
      announced_in = reader.line_number();
    }
  }
  if (announced && *announced != count) {
    fail(fmt::format("{} {}, as line {} says", *announced, records, announced_in),
         fmt::format("{}{}", count, count < *announced ? " - truncated?" : ""));
  }
}

}  // namespace

ColmapModel parse_colmap_text(const ColmapFiles& files) {
  ColmapBuilder builder;
  each_record(files.cameras, "cameras",
              [&](TextReader& r, const ColmapFail& fail) { builder.add(camera_of(r, fail), fail); });
  each_record(files.images, "images", [&](TextReader& r, const ColmapFail& fail) {
    ColmapImage image = image_of(r, fail);
    if (r.next()) image.points = points_of(r, fail);
    builder.add(std::move(image), fail);
  });
  each_record(files.points, "points",
              [&](TextReader& r, const ColmapFail& fail) { builder.add(point_of(r, fail), fail); });
  return builder.finish();
}

}  // namespace adasample
