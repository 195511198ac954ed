// SPDX-License-Identifier: Apache-2.0
#include "adasample/image/files/pgm.h"

#include <array>

#include "adasample/base/error.h"
#include "adasample/base/files/file_io.h"
#include "adasample/base/files/mapped_file.h"
#include "adasample/image/files/picture_size.h"

namespace adasample {
namespace {

constexpr int kLargestPgm = 1 << 16;

// Reads white-space separated numbers; '#' starts a comment that ends with the line.
class Reader {
 public:
  Reader(std::span<const uint8_t> file, const std::string& name) : file_(file), name_(name) {}

  bool take_magic(std::array<char, 2> magic) {
    if (file_.size() < 2 || file_[0] != magic[0] || file_[1] != magic[1]) return false;
    at_ = 2;
    return true;
  }

  int number(const char* what, int low, int high) {
    skip_space_and_comments();
    const size_t begin = at_;
    int value = 0;
    for (; at_ < file_.size() && file_[at_] >= '0' && file_[at_] <= '9' && value <= high; ++at_) {
      value = 10 * value + (file_[at_] - '0');  // high <= 65536, so this stays far from overflow
    }
    ADA_CHECK(at_ > begin, "[pgm] {}: byte {}: expected the {}, found {} - truncated?", name_, at_, what,
              at_ == file_.size() ? "the end of the file" : "something else");
    ADA_CHECK(value >= low && value <= high, "[pgm] {}: the {} is {}{}, expected {} to {}", name_, what, value,
              value > high ? " or more" : "", low, high);
    return value;
  }

  // The binary part begins behind exactly one white-space byte.
  std::span<const uint8_t> binary(size_t size) {
    ADA_CHECK(at_ < file_.size() && is_space(file_[at_]), "[pgm] {}: byte {}: expected white space before the pixels",
              name_, at_);
    ADA_CHECK(remaining() - 1 >= size, "[pgm] {}: {} bytes of pixels expected, {} found - truncated?", name_, size,
              remaining() - 1);
    return file_.subspan(at_ + 1, size);
  }

  size_t remaining() const { return file_.size() - at_; }

 private:
  static bool is_space(uint8_t c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

  void skip_space_and_comments() {
    while (at_ < file_.size() && (is_space(file_[at_]) || file_[at_] == '#')) {
      if (file_[at_] == '#') {
        while (at_ < file_.size() && file_[at_] != '\n') ++at_;
      } else {
        ++at_;
      }
    }
  }

  std::span<const uint8_t> file_;
  const std::string& name_;
  size_t at_ = 0;
};

}  // namespace

GrayImage parse_pgm(std::span<const uint8_t> file, const std::string& name) {
  Reader reader(file, name);
  const bool binary = reader.take_magic({'P', '5'});
  ADA_CHECK(binary || reader.take_magic({'P', '2'}), "[pgm] {}: does not start with P5 or P2 - not a grey .pgm image?",
            name);
  const int width = reader.number("width", 1, kLargestPgm);
  const int height = reader.number("height", 1, kLargestPgm);
  const int most = reader.number("largest value", 1, 65535);
  const size_t count = static_cast<size_t>(width) * static_cast<size_t>(height);
  check_picture_size(static_cast<uint64_t>(width), static_cast<uint64_t>(height), "pgm", name);

  // The length is checked before memory is taken: a short file cannot ask for gigabytes. A text pixel takes two bytes.
  const size_t value_bytes = binary && most < 256 ? 1 : 2;
  const std::span<const uint8_t> bytes = binary ? reader.binary(count * value_bytes) : std::span<const uint8_t>();
  ADA_CHECK(binary || reader.remaining() / 2 >= count, "[pgm] {}: too short for {} x {} pixels - truncated?", name,
            width, height);
  GrayImage image(width, height);
  for (size_t i = 0; i < count; ++i) {
    int value = 0;
    if (!binary) {
      value = reader.number("next pixel", 0, most);
    } else if (value_bytes == 1) {
      value = bytes[i];
    } else {
      value = bytes[2 * i] << 8 | bytes[2 * i + 1];  // most significant byte first
    }
    ADA_CHECK(value <= most, "[pgm] {}: pixel {} is {}, the header promises {} at most", name, i, value, most);
    image.pixels[i] = static_cast<float>(255 * value) / static_cast<float>(most);
  }
  return image;
}

std::pair<int, int> parse_pnm_size(std::span<const uint8_t> file, const std::string& name) {
  Reader reader(file, name);
  const bool known = file.size() >= 2 && file[1] >= '1' && file[1] <= '6';
  ADA_CHECK(known && reader.take_magic({'P', static_cast<char>(file[1])}),
            "[pgm] {}: does not start with P1 to P6 - not a portable map?", name);
  const int width = reader.number("width", 1, kLargestPgm);
  return {width, reader.number("height", 1, kLargestPgm)};
}

GrayImage read_pgm(const std::filesystem::path& path) {
  const MappedFile file(path);
  return parse_pgm(file.bytes(), path.string());
}

std::string encode_pgm(const GrayImage& image) {
  std::string text = fmt::format("P5\n{} {}\n255\n", image.width, image.height);
  for (const float pixel : image.pixels) text += static_cast<char>(to_byte(pixel));
  return text;
}

void write_pgm(const std::filesystem::path& path, const GrayImage& image) {
  write_file_atomically(path, encode_pgm(image));
}

}  // namespace adasample
