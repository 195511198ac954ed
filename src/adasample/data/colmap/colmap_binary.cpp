// SPDX-License-Identifier: Apache-2.0
// COLMAP's binary form: little-endian, packed, a 64-bit count in front of each list. A count is believed only as far as
// the file has bytes for it.
#include <algorithm>
#include <bit>
#include <cstring>

#include "adasample/base/error.h"
#include "adasample/data/colmap/colmap_builder.h"

static_assert(std::endian::native == std::endian::little);

namespace adasample {
namespace {

// Fewest bytes of a record in each list.
constexpr size_t kCameraBytes = 4 + 4 + 8 + 8;
constexpr size_t kImageBytes = 4 + 7 * 8 + 4 + 1 + 8;
constexpr size_t kPoint2DBytes = 8 + 8 + 8;
constexpr size_t kPointBytes = 8 + 3 * 8 + 3 + 8 + 8;
constexpr size_t kObservationBytes = 4 + 4;

class ByteReader {
 public:
  explicit ByteReader(const ColmapFiles::File& file) : file_(file) {}

  template <typename T>
  T take(std::string_view what) {
    if (rest() < sizeof(T)) fail(what, fmt::format("the end of the file {} bytes on - truncated?", rest()));
    T value;
    std::memcpy(&value, file_.bytes.data() + at_, sizeof(T));
    at_ += sizeof(T);
    return value;
  }

  template <size_t n>
  std::array<double, n> numbers(std::string_view what) {
    std::array<double, n> values;
    for (double& value : values) value = take<double>(what);
    return values;
  }

  // How many entries follow, of at least `entry_bytes` each.
  size_t count(std::string_view what, size_t entry_bytes) {
    const size_t begin = at_;
    const auto count = take<uint64_t>(what);
    if (count > rest() / entry_bytes) {
      const size_t most = rest() / entry_bytes;
      at_ = begin;
      fail(fmt::format("{} of {} at most, as the file has bytes for no more", what, most), fmt::format("{}", count));
    }
    return count;
  }

  std::string zero_terminated(std::string_view what) {
    const uint8_t* begin = file_.bytes.data() + at_;
    const uint8_t* zero = std::find(begin, begin + rest(), uint8_t{0});
    if (zero == begin + rest()) fail(what, "no zero byte behind it");
    at_ += static_cast<size_t>(zero - begin) + 1;
    return {begin, zero};
  }

  void expect_end() const {
    if (rest() != 0) fail("the end of the file", fmt::format("{} more bytes", rest()));
  }

  size_t at() const { return at_; }
  [[noreturn]] void fail(std::string_view expected, std::string_view found) const { fail_at(at_, expected, found); }
  [[noreturn]] void fail_at(size_t at, std::string_view expected, std::string_view found) const {
    ADA_THROW("[colmap] {}: byte {}: expected {}, found {}", file_.name, at, expected, found);
  }

 private:
  size_t rest() const { return file_.bytes.size() - at_; }

  const ColmapFiles::File& file_;
  size_t at_ = 0;
};

// An extent as far as an int can hold it; the builder refuses what is out of bounds.
int extent(uint64_t value) { return static_cast<int>(std::min<uint64_t>(value, std::numeric_limits<int>::max())); }

ColmapCamera camera_of(ByteReader& reader, const ColmapFail& fail) {
  ColmapCamera camera;
  camera.id = reader.take<uint32_t>("a camera id");
  camera.model = colmap_camera_model(reader.take<int32_t>("a camera model"), fail);
  camera.width = extent(reader.take<uint64_t>("a width"));
  camera.height = extent(reader.take<uint64_t>("a height"));
  for (int i = 0; i < colmap_camera_models()[static_cast<size_t>(camera.model)].parameters; ++i) {
    camera.parameters.push_back(reader.take<double>("a camera parameter"));
  }
  return camera;
}

ColmapImage image_of(ByteReader& reader) {
  ColmapImage image;
  image.id = reader.take<uint32_t>("an image id");
  image.rotation = reader.numbers<4>("a rotation");
  image.translation = reader.numbers<3>("a translation");
  image.camera = reader.take<uint32_t>("a camera id");
  image.name = reader.zero_terminated("the name of a photograph");
  image.points.resize(reader.count("a number of points2D", kPoint2DBytes));
  for (ColmapPoint2D& point : image.points) {
    point.x = reader.take<double>("a coordinate");
    point.y = reader.take<double>("a coordinate");
    point.point = reader.take<uint64_t>("the id of a 3D point");
  }
  return image;
}

ColmapPoint point_of(ByteReader& reader) {
  ColmapPoint point;
  point.id = reader.take<uint64_t>("the id of a 3D point");
  point.position = reader.numbers<3>("a position");
  for (uint8_t& c : point.colour) c = reader.take<uint8_t>("a colour");
  point.error = reader.take<double>("a reprojection error");
  point.track.resize(reader.count("a track length", kObservationBytes));
  for (ColmapObservation& seen : point.track) {
    seen.image = reader.take<uint32_t>("an image id");
    seen.index = reader.take<uint32_t>("the index of a point2D");
  }
  return point;
}

// Calls `take(reader, fail)` for each record; `fail` names the byte the record begins at.
template <typename Take>
void each_record(const ColmapFiles::File& file, std::string_view what, size_t record_bytes, Take take) {
  ByteReader reader(file);
  size_t begin = 0;
  const ColmapFail fail = [&](std::string_view expected, std::string_view found) {
    reader.fail_at(begin, expected, found);
  };
  for (size_t left = reader.count(what, record_bytes); left > 0; --left) {
    begin = reader.at();
    take(reader, fail);
  }
  reader.expect_end();
}

}  // namespace

ColmapModel parse_colmap_binary(const ColmapFiles& files) {
  ColmapBuilder builder;
  each_record(files.cameras, "a number of cameras", kCameraBytes,
              [&](ByteReader& r, const ColmapFail& fail) { builder.add(camera_of(r, fail), fail); });
  each_record(files.images, "a number of images", kImageBytes,
              [&](ByteReader& r, const ColmapFail& fail) { builder.add(image_of(r), fail); });
  each_record(files.points, "a number of points", kPointBytes,
              [&](ByteReader& r, const ColmapFail& fail) { builder.add(point_of(r), fail); });
  return builder.finish();
}

}  // namespace adasample
