// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/row_writer.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>

#include "adasample/base/error.h"
#include "adasample/data/npy.h"

namespace adasample {
namespace {

constexpr int kDigits = 9;       // significant ones that tell all float32 apart
constexpr size_t kLongest = 24;  // characters: sign, digits, point, exponent

const std::filesystem::path& new_file(const std::filesystem::path& file) {
  refuse_existing(file);
  return file;
}

std::string csv_lines(std::span<const float> values, size_t dimension) {
  std::string text;
  text.reserve(values.size() * (kDigits + 4));
  char number[kLongest];
  for (size_t i = 0; i < values.size(); ++i) {
    const auto written = std::to_chars(number, number + kLongest, values[i], std::chars_format::general, kDigits);
    text.append(number, written.ptr);
    text += (i + 1) % dimension == 0 ? '\n' : ',';
  }
  return text;
}

}  // namespace

RowFormat row_format(const std::filesystem::path& file) {
  const std::string ending = file.extension().string();
  ADA_USAGE(ending == ".npy" || ending == ".csv", "{}: expected the name of a .npy or .csv file for descriptors",
            file.string());
  return ending == ".npy" ? RowFormat::kNpy : RowFormat::kCsv;
}

RowWriter::RowWriter(const std::filesystem::path& file, int64_t rows, int dimension)
    : path_(file),
      format_(row_format(file)),
      rows_(rows),
      dimension_(static_cast<size_t>(dimension)),
      file_(new_file(file)) {
  ADA_ASSERT(rows >= 1 && dimension >= 1);
  if (format_ == RowFormat::kNpy) {
    file_.writer().write(format_npy_header(NpyType::kFloat32, std::vector<int64_t>{rows, dimension}));
  }
}

void RowWriter::require_finite(std::span<const float> values) const {
  const auto bad = std::find_if_not(values.begin(), values.end(), [](float value) { return std::isfinite(value); });
  ADA_CHECK(bad == values.end(), "[rows] {}: row {}: expected finite numbers, found {}", path_.string(),
            added_ + (bad - values.begin()) / static_cast<int64_t>(dimension_), *bad);
}

void RowWriter::add(std::span<const float> values) {
  ADA_ASSERT(values.size() % dimension_ == 0);
  require_finite(values);
  if (format_ == RowFormat::kNpy) {
    file_.writer().write({reinterpret_cast<const uint8_t*>(values.data()), values.size_bytes()});
  } else {
    file_.writer().write(csv_lines(values, dimension_));
  }
  added_ += static_cast<int64_t>(values.size() / dimension_);
  ADA_ASSERT(added_ <= rows_);
}

void RowWriter::finish() {
  ADA_ASSERT(added_ == rows_);
  refuse_existing(path_);
  file_.commit();
}

}  // namespace adasample
