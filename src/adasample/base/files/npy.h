// SPDX-License-Identifier: Apache-2.0
// numpy's .npy format, versions 1 to 3: "\x93NUMPY", version, header length, a Python dict with dtype, order and shape,
// then the elements. Read in place from a mapped file; C order, little endian, four dtypes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "adasample/base/files/mapped_file.h"

namespace adasample {

enum class NpyType { kUint8, kInt64, kFloat32, kFloat64, kFloat16 };  // the last is written only
std::string_view to_string(NpyType type);                             // numpy's name: "|u1", "<i8", "<f4", "<f8", "<f2"
size_t item_size(NpyType type);

template <typename T>
constexpr NpyType npy_type_of() {
  if constexpr (std::is_same_v<T, uint8_t>) return NpyType::kUint8;
  if constexpr (std::is_same_v<T, int64_t>) return NpyType::kInt64;
  if constexpr (std::is_same_v<T, float>) return NpyType::kFloat32;
  if constexpr (std::is_same_v<T, double>) return NpyType::kFloat64;
}

struct NpyHeader {
  NpyType type = NpyType::kUint8;
  std::vector<int64_t> shape;
  size_t data_offset = 0;  // of the first element, in bytes
  size_t data_size = 0;    // in bytes: product of the shape times item_size(type)
};

// Reads the header of a complete .npy file. Throws Error, naming `name`, on anything but a well-formed header followed
// by exactly data_size bytes.
NpyHeader parse_npy_header(std::span<const uint8_t> file, const std::string& name);

// A .npy file, mapped.
class NpyFile {
 public:
  NpyFile() = default;
  explicit NpyFile(const std::filesystem::path& path, OnLoss on_loss = OnLoss::kExit);

  const NpyHeader& header() const { return header_; }
  const std::vector<int64_t>& shape() const { return header_.shape; }
  const MappedFile& file() const { return file_; }

  // For OnLoss::kTolerate, to be called when elements have been read: throws Error when the file was truncated or
  // became unreadable meanwhile, in which case some of them were zeros.
  void check_intact() const;

  // The elements; throws Error when the file's dtype is not T or the elements are not aligned for it.
  template <typename T>
  std::span<const T> data() const {
    require(npy_type_of<T>(), alignof(T));
    return {reinterpret_cast<const T*>(file_.bytes().data() + header_.data_offset), header_.data_size / sizeof(T)};
  }

 private:
  void require(NpyType type, size_t alignment) const;

  MappedFile file_;
  NpyHeader header_;
};

// A version 1 header, a multiple of 64 bytes long. Up to three dimensions of any extent take exactly kNpyHeaderSize, so
// a streaming writer may start with a count of 0 and rewrite the header at the end.
inline constexpr size_t kNpyHeaderSize = 128;
std::string format_npy_header(NpyType type, std::span<const int64_t> shape);

// Writes an array, all or nothing; the product of `shape` must be values.size().
void write_npy(const std::filesystem::path& path, std::span<const uint8_t> values, std::span<const int64_t> shape);
void write_npy(const std::filesystem::path& path, std::span<const int64_t> values, std::span<const int64_t> shape);
void write_npy(const std::filesystem::path& path, std::span<const float> values, std::span<const int64_t> shape);

}  // namespace adasample
