// SPDX-License-Identifier: Apache-2.0
// A table of numbers, written row by row as .npy or .csv and never held whole; complete or absent.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include "adasample/base/bytes/number_type.h"
#include "adasample/base/files/file_io.h"

namespace adasample {

// What a table of descriptors may be kept in, by the ending of its name; a usage Error for any other ending.
enum class RowFormat { kNpy, kCsv };
RowFormat row_format(const std::filesystem::path& file);

// .npy is [rows, dimension] in C order, of this type. .csv is a line a row, numbers between commas, no header: of uint8
// the bytes, of float16 the rounded numbers; nine significant digits, which give the same float32 back, also to a
// reader that goes by way of double.
class RowWriter {
 public:
  // Throws Error when the file exists.
  RowWriter(const std::filesystem::path& file, int dimension, NumberType type = NumberType::kFloat32);

  // Appends whole rows, all finite.
  void add(std::span<const float> values);
  // Makes the file appear, with one row at least. Without it nothing is left behind.
  void finish();

 private:
  void require_finite(std::span<const float> values) const;

  std::filesystem::path path_;
  RowFormat format_;
  NumberType type_;
  int64_t rows_ = 0;
  size_t dimension_;
  StagedFile file_;
};

}  // namespace adasample
