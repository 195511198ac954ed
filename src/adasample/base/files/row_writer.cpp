// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/files/row_writer.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <type_traits>

#include "adasample/base/bytes/finite.h"
#include "adasample/base/error.h"
#include "adasample/base/files/npy.h"

namespace adasample {
namespace {

constexpr int kDigits = 9;       // significant ones that tell all float32 apart
constexpr size_t kLongest = 24;  // characters: sign, digits, point, exponent

const std::filesystem::path& new_file(const std::filesystem::path& file) {
  refuse_existing(file);
  return file;
}

template <typename Number>
char* write_number(char* begin, char* end, Number value) {
  if constexpr (std::is_floating_point_v<Number>) {
    return std::to_chars(begin, end, value, std::chars_format::general, kDigits).ptr;
  } else {
    return std::to_chars(begin, end, value).ptr;
  }
}

template <typename Number>
std::string csv_lines(const std::vector<Number>& values, size_t dimension) {
  std::string text;
  text.reserve(values.size() * (kDigits + 4));
  char number[kLongest];
  for (size_t i = 0; i < values.size(); ++i) {
    text.append(number, write_number(number, number + kLongest, values[i]));
    text += (i + 1) % dimension == 0 ? '\n' : ',';
  }
  return text;
}

NpyType npy_type(NumberType type) {
  return type == NumberType::kUint8     ? NpyType::kUint8
         : type == NumberType::kFloat16 ? NpyType::kFloat16
                                        : NpyType::kFloat32;
}

}  // namespace

RowFormat row_format(const std::filesystem::path& file) {
  const std::string ending = file.extension().string();
  ADA_USAGE(ending == ".npy" || ending == ".csv", "{}: expected the name of a .npy or .csv file for descriptors",
            file.string());
  return ending == ".npy" ? RowFormat::kNpy : RowFormat::kCsv;
}

RowWriter::RowWriter(const std::filesystem::path& file, int dimension, NumberType type)
    : path_(file),
      format_(row_format(file)),
      type_(type),
      dimension_(static_cast<size_t>(dimension)),
      file_(new_file(file)) {
  ADA_ASSERT(dimension >= 1);
  // The number of rows is filled in at the end; the header's length does not depend on it.
  if (format_ == RowFormat::kNpy) file_.writer().write(std::string(kNpyHeaderSize, ' '));
}

void RowWriter::require_finite(std::span<const float> values) const {
  const size_t bad = first_not_finite(values);
  ADA_CHECK(bad == values.size(), "[rows] {}: row {}: expected finite numbers, found {}", path_.string(),
            rows_ + static_cast<int64_t>(bad / dimension_), values[bad]);
}

void RowWriter::add(std::span<const float> values) {
  ADA_ASSERT(values.size() % dimension_ == 0);
  require_finite(values);
  const std::vector<uint8_t> bytes = encode_numbers(type_, values);
  if (format_ == RowFormat::kNpy) {
    file_.writer().write(bytes);
  } else if (type_ == NumberType::kUint8) {
    file_.writer().write(csv_lines(bytes, dimension_));
  } else {
    file_.writer().write(csv_lines(decode_numbers(type_, bytes), dimension_));
  }
  rows_ += static_cast<int64_t>(values.size() / dimension_);
}

void RowWriter::finish() {
  ADA_ASSERT(rows_ >= 1);
  if (format_ == RowFormat::kNpy) {
    const std::vector<int64_t> shape = {rows_, static_cast<int64_t>(dimension_)};
    file_.writer().write_at(0, format_npy_header(npy_type(type_), shape));
  }
  refuse_existing(path_);
  file_.commit();
}

}  // namespace adasample
