// SPDX-License-Identifier: Apache-2.0
// The folders of a TIFF file, or of a block that is built like one (EXIF): entries of tag, type, count and value, in
// the byte order that the block says. Nothing is read outside of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace adasample {

// Numbers in a byte order; nothing where they would lie outside.
class TiffBlock {
 public:
  enum Type : uint32_t { kText = 2, kShort = 3, kLong = 4, kRational = 5 };
  struct Entry {
    uint32_t tag, type, count;
    size_t value;  // where the number or the offset stands
  };

  TiffBlock(std::span<const uint8_t> block, bool big_endian) : block_(block), big_endian_(big_endian) {}

  // Where the block begins as a TIFF file does: "II" or "MM", then 42.
  static std::optional<TiffBlock> open(std::span<const uint8_t> block) {
    if (block.size() < 8 || block[0] != block[1] || (block[0] != 'I' && block[0] != 'M')) return {};
    const TiffBlock tiff(block, block[0] == 'M');
    return tiff.number(2, 2) == 42 ? std::optional(tiff) : std::nullopt;
  }
  size_t first_folder() const { return number(4, 4).value_or(0); }

  std::optional<uint32_t> number(size_t at, size_t width) const {
    if (at > block_.size() || block_.size() - at < width) return {};
    uint32_t value = 0;
    for (size_t i = 0; i < width; ++i) value = value << 8 | block_[at + (big_endian_ ? i : width - 1 - i)];
    return value;
  }

  // Calls use(entry) for every entry of the folder at `at`.
  template <typename Use>
  void walk(size_t at, const Use& use) const {
    constexpr size_t kEntry = 12;  // bytes
    const uint32_t count = number(at, 2).value_or(0);
    for (size_t i = 0; i < count; ++i) {
      const size_t entry = at + 2 + i * kEntry;
      const auto tag = number(entry, 2), type = number(entry + 2, 2), values = number(entry + 4, 4);
      if (!tag || !type || !values) return;
      use(Entry{*tag, *type, *values, entry + 8});
    }
  }

  // The one value of an entry; 0 or "" where it has another type, another count, or lies outside.
  uint32_t integer(const Entry& entry) const {
    if (entry.count != 1 || (entry.type != kShort && entry.type != kLong)) return 0;
    return number(entry.value, entry.type == kShort ? 2 : 4).value_or(0);
  }
  double rational(const Entry& entry) const {
    if (entry.count != 1 || entry.type != kRational) return 0;
    const size_t at = number(entry.value, 4).value_or(0);
    const uint32_t numerator = number(at, 4).value_or(0), denominator = number(at + 4, 4).value_or(0);
    return denominator == 0 ? 0 : static_cast<double>(numerator) / denominator;
  }
  std::string text(const Entry& entry) const {
    constexpr size_t kLongest = 256;  // a maker's or a model's name
    if (entry.type != kText || entry.count > kLongest) return "";
    const size_t at = entry.count <= 4 ? entry.value : number(entry.value, 4).value_or(0);
    if (at > block_.size() || block_.size() - at < entry.count) return "";
    const std::string_view all(reinterpret_cast<const char*>(block_.data()) + at, entry.count);
    return std::string(all.substr(0, all.find('\0')));
  }

 private:
  std::span<const uint8_t> block_;
  bool big_endian_;
};

}  // namespace adasample
