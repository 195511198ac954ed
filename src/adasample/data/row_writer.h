// SPDX-License-Identifier: Apache-2.0
// A table of float32, written row by row as .npy or .csv and never held whole; complete or absent.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include "adasample/base/file_io.h"

namespace adasample {

// What a table of descriptors may be kept in, by the ending of its name; a usage Error for any other ending.
enum class RowFormat { kNpy, kCsv };
RowFormat row_format(const std::filesystem::path& file);

// .npy is float32 [rows, dimension] in C order. .csv is a line a row, numbers between commas, no header; they have nine
// significant digits, which give the same float32 back, also to a reader that goes by way of double.
class RowWriter {
 public:
  // Throws Error when the file exists.
  RowWriter(const std::filesystem::path& file, int64_t rows, int dimension);

  // Appends whole rows, all finite.
  void add(std::span<const float> values);
  // Makes the file appear; all rows must be there. Without it nothing is left behind.
  void finish();

 private:
  void require_finite(std::span<const float> values) const;

  std::filesystem::path path_;
  RowFormat format_;
  int64_t rows_, added_ = 0;
  size_t dimension_;
  StagedFile file_;
};

}  // namespace adasample
