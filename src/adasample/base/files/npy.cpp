// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/files/npy.h"

#include <bit>
#include <limits>
#include <optional>

#include "adasample/base/error.h"
#include "adasample/base/files/file_io.h"

namespace adasample {
namespace {

static_assert(std::endian::native == std::endian::little, "elements are read in place: little-endian machines only");

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr NpyType kReadTypes[] = {NpyType::kUint8, NpyType::kInt64, NpyType::kFloat32, NpyType::kFloat64};

// Reads the Python dict literal of a header: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
class DictParser {
 public:
  DictParser(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  NpyHeader parse() {
    expect('{');
    while (!accept('}')) {
      const std::string_view key = quoted();
      expect(':');
      if (key == "descr" && !type_) {
        type_ = type();
      } else if (key == "fortran_order" && !order_seen_) {
        c_order();
      } else if (key == "shape" && !shape_) {
        shape_ = shape();
      } else {
        fail("unexpected or repeated key");
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_space();
    if (at_ != text_.size()) fail("something follows the closing brace");
    if (!type_ || !order_seen_ || !shape_) fail("one of 'descr', 'fortran_order', 'shape' is missing");
    return {.type = *type_, .shape = std::move(*shape_)};
  }

 private:
  [[noreturn]] void fail(std::string_view what) const {
    ADA_THROW("[npy] {}: malformed header: {} at byte {} of {} - not written by numpy, or damaged?", name_, what, at_,
              text_.size());
  }

  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }

  bool accept(char c) {
    skip_space();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  void expect(char c) {
    if (!accept(c)) fail(std::string("expected '") + c + "'");
  }

  std::string_view quoted() {
    const char quote = accept('\'') ? '\'' : '"';
    if (quote == '"') expect('"');
    const size_t end = text_.find(quote, at_);
    if (end == std::string_view::npos) fail("a string without end");
    const std::string_view value = text_.substr(at_, end - at_);
    at_ = end + 1;
    return value;
  }

  NpyType type() {
    skip_space();
    ADA_CHECK(at_ == text_.size() || text_[at_] != '[',
              "[npy] {}: structured dtype, expected one of |u1, <i8, <f4, <f8 - save plain arrays", name_);
    const std::string_view descr = quoted();
    for (const NpyType candidate : kReadTypes) {
      if (descr == to_string(candidate)) return candidate;
    }
    std::string shown;
    for (const char c : descr.substr(0, 16)) shown += c >= ' ' && c <= '~' ? c : '?';
    ADA_THROW("[npy] {}: dtype '{}', expected one of |u1, <i8, <f4, <f8 - convert with .astype(..)", name_, shown);
  }

  void c_order() {
    skip_space();
    order_seen_ = true;
    const std::string_view rest = text_.substr(at_);
    ADA_CHECK(!rest.starts_with("True"), "[npy] {}: Fortran order, expected C order - save numpy.ascontiguousarray(..)",
              name_);
    if (!rest.starts_with("False")) fail("expected True or False");
    at_ += 5;
  }

  std::vector<int64_t> shape() {
    std::vector<int64_t> extents;
    expect('(');
    while (!accept(')')) {
      extents.push_back(extent());
      if (extents.size() > 32) fail("more than 32 dimensions");
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return extents;
  }

  int64_t extent() {
    skip_space();
    const size_t begin = at_;
    int64_t value = 0;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
      const int64_t digit = text_[at_] - '0';
      if (value > (std::numeric_limits<int64_t>::max() - digit) / 10) fail("a dimension beyond 64 bits");
      value = 10 * value + digit;
    }
    if (at_ == begin) fail("expected a dimension");
    return value;
  }

  std::string_view text_;
  const std::string& name_;
  size_t at_ = 0;
  std::optional<NpyType> type_;
  bool order_seen_ = false;
  std::optional<std::vector<int64_t>> shape_;
};

// Bytes of an array, or nothing beyond 63 bits.
std::optional<size_t> byte_count(NpyType type, std::span<const int64_t> shape) {
  int64_t bytes = static_cast<int64_t>(item_size(type));
  for (const int64_t extent : shape) {
    if (extent == 0) return 0;
  }
  for (const int64_t extent : shape) {
    if (__builtin_mul_overflow(bytes, extent, &bytes)) return std::nullopt;
  }
  return static_cast<size_t>(bytes);
}

template <typename T>
void write_array(const std::filesystem::path& path, std::span<const T> values, std::span<const int64_t> shape) {
  const std::optional<size_t> bytes = byte_count(npy_type_of<T>(), shape);
  ADA_ASSERT(bytes && *bytes == values.size_bytes());
  std::string content = format_npy_header(npy_type_of<T>(), shape);
  content.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  write_file_atomically(path, content);
}

}  // namespace

std::string_view to_string(NpyType type) {
  switch (type) {
    case NpyType::kUint8:
      return "|u1";
    case NpyType::kInt64:
      return "<i8";
    case NpyType::kFloat32:
      return "<f4";
    case NpyType::kFloat64:
      return "<f8";
    case NpyType::kFloat16:
      return "<f2";
  }
  ADA_THROW_KIND(kBug, "[bug] no such NpyType");
}

size_t item_size(NpyType type) { return static_cast<size_t>(to_string(type)[2] - '0'); }

NpyHeader parse_npy_header(std::span<const uint8_t> file, const std::string& name) {
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  ADA_CHECK(text.starts_with(kMagic) && text.size() >= 10,
            "[npy] {}: does not start like a .npy file ({} bytes) - wrong file, or a truncated download?", name,
            file.size());
  const int version = file[6];
  ADA_CHECK(version >= 1 && version <= 3, "[npy] {}: format version {}, expected 1, 2 or 3", name, version);
  const size_t length_bytes = version == 1 ? 2 : 4;
  const size_t header_begin = 8 + length_bytes;
  ADA_CHECK(text.size() >= header_begin, "[npy] {}: truncated header", name);
  size_t length = 0;
  for (size_t i = length_bytes; i-- > 0;) length = length << 8 | file[8 + i];
  ADA_CHECK(length <= text.size() - header_begin, "[npy] {}: header of {} bytes expected, {} found - truncated?", name,
            length, text.size() - header_begin);

  NpyHeader header = DictParser(text.substr(header_begin, length), name).parse();
  header.data_offset = header_begin + length;
  const std::optional<size_t> bytes = byte_count(header.type, header.shape);
  ADA_CHECK(bytes, "[npy] {}: the shape's product is beyond 63 bits - damaged header?", name);
  header.data_size = *bytes;
  const size_t found = text.size() - header.data_offset;
  ADA_CHECK(found == header.data_size, "[npy] {}: {} bytes of data expected, {} found - {}", name, header.data_size,
            found, found < header.data_size ? "truncated?" : "several arrays in one file?");
  return header;
}

NpyFile::NpyFile(const std::filesystem::path& path, OnLoss on_loss)
    : file_(path, on_loss), header_(parse_npy_header(file_.bytes(), path.string())) {}

void NpyFile::check_intact() const {
  ADA_CHECK(!file_.lost(), "[npy] {}: was truncated or became unreadable while in use - copy it again or make it anew",
            file_.path().string());
}

void NpyFile::require(NpyType type, size_t alignment) const {
  ADA_CHECK(header_.type == type, "[npy] {}: dtype '{}', expected '{}'", file_.path().string(), to_string(header_.type),
            to_string(type));
  ADA_CHECK(header_.data_offset % alignment == 0,
            "[npy] {}: data begins at byte {}, expected a multiple of {} - save it again with numpy",
            file_.path().string(), header_.data_offset, alignment);
}

std::string format_npy_header(NpyType type, std::span<const int64_t> shape) {
  std::string dict = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': (", to_string(type));
  for (size_t i = 0; i < shape.size(); ++i) dict += fmt::format("{}{}", i > 0 ? ", " : "", shape[i]);
  dict += shape.size() == 1 ? ",), }" : "), }";

  const size_t prefix = kMagic.size() + 4;  // version and length
  size_t total = kNpyHeaderSize;
  while (total < prefix + dict.size() + 1) total += 64;
  const size_t length = total - prefix;
  dict.resize(length - 1, ' ');
  std::string header(kMagic);
  header += {'\x01', '\x00', static_cast<char>(length & 0xff), static_cast<char>(length >> 8)};
  return header + dict + '\n';
}

void write_npy(const std::filesystem::path& path, std::span<const uint8_t> values, std::span<const int64_t> shape) {
  write_array(path, values, shape);
}
void write_npy(const std::filesystem::path& path, std::span<const int64_t> values, std::span<const int64_t> shape) {
  write_array(path, values, shape);
}
void write_npy(const std::filesystem::path& path, std::span<const float> values, std::span<const int64_t> shape) {
  write_array(path, values, shape);
}

}  // namespace adasample
