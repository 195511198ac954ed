// SPDX-License-Identifier: Apache-2.0
#include "adasample/eval/hpatches/descriptor_set.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "adasample/base/error.h"
#include "adasample/base/files/mapped_file.h"
#include "adasample/base/interrupt.h"
#include "adasample/base/parallel.h"
#include "adasample/base/progress.h"
#include "adasample/base/text.h"
#include "adasample/data/hpatches/hpatches.h"

namespace adasample {
namespace fs = std::filesystem;

namespace {

constexpr const char* kCsv = ".csv";

// Appends the numbers of a line; false when it is not all numbers, and then anything may have been appended. Most of
// the time of an evaluation from files would go into a slower way.
bool append_row(std::string_view line, char delimiter, std::vector<float>& values) {
  const char *at = line.data(), *end = at + line.size();
  const auto skip_blanks = [&] {
    while (at != end && *at != delimiter && kBlank.find(*at) != kBlank.npos) ++at;
  };
  for (;;) {
    skip_blanks();
    if (end - at > 1 && *at == '+') ++at;
    double value = 0;
    const auto [stop, problem] = std::from_chars(at, end, value);
    if (problem != std::errc() || !(std::abs(value) <= kLargestInFile)) return false;
    values.push_back(static_cast<float>(value));  // by way of double, as pandas and numpy do
    at = stop;
    skip_blanks();
    if (at == end) return true;
    if (*at++ != delimiter) return false;
  }
}

// Says what is wrong with a line that append_row() refused.
[[noreturn]] void complain(TextReader& reader, char delimiter) {
  const auto& fields = reader.fields(delimiter);
  if (fields.size() < 2) {
    reader.fail(fmt::format("numbers between '{}'", delimiter), shown(reader.line()) + " - another --delimiter?");
  }
  for (size_t i = 0; i < fields.size(); ++i) {
    if (std::abs(reader.number<double>(i, "a finite number")) > kLargestInFile) {
      reader.fail("a number of at most 1e15", shown(fields[i]));
    }
  }
  reader.fail(fmt::format("numbers between '{}'", delimiter), shown(reader.line()));
}

DescriptorRows read_descriptor_csv(const fs::path& path, char delimiter) {
  std::error_code error;
  ADA_CHECK(fs::exists(path, error), "[descriptors] {}: is missing - a sequence of six pictures has 16 files: {}",
            path.string(), fmt::join(kHpatchesStrips, ", "));
  const MappedFile file(path, OnLoss::kTolerate);
  DescriptorRows rows = parse_descriptor_csv(
      {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()}, path.string(), delimiter);
  file.check_intact("descriptors");
  return rows;
}

DescribedSequence read_sequence(const fs::path& root, const std::string& name, char delimiter) {
  const std::vector<size_t> strips = sequence_strips(root, name, kCsv);
  DescribedSequence sequence;
  sequence.shape = {.name = name, .images = static_cast<int>(strips.size() / kHpatchesLevels.size()) + 1};
  for (const size_t strip : strips) {
    const fs::path path = strip_path(root, name, strip, kCsv);
    const DescriptorRows rows = read_descriptor_csv(path, delimiter);
    if (strip == 0) {
      sequence.shape.patches = rows.rows;
      sequence.dimension = rows.dimension;
      sequence.values.reserve(strips.size() * rows.values.size());
    }
    ADA_CHECK(rows.dimension == sequence.dimension,
              "[descriptors] {}: expected {} numbers a row as in ref.csv, found {} - another descriptor's file?",
              path.string(), sequence.dimension, rows.dimension);
    ADA_CHECK(rows.rows == sequence.shape.patches, "[descriptors] {}: expected {} rows as in ref.csv, found {} - {}?",
              path.string(), sequence.shape.patches, rows.rows,
              rows.rows < sequence.shape.patches ? "is a row missing" : "mixed versions");
    sequence.values.insert(sequence.values.end(), rows.values.begin(), rows.values.end());
  }
  return sequence;
}

}  // namespace

std::span<const float> DescribedSequence::strip(size_t level, int image) const {
  ADA_ASSERT(level < kHpatchesLevels.size() && image >= 0 && image < shape.images);
  const size_t targets = static_cast<size_t>(shape.images) - 1, at = static_cast<size_t>(image);
  const size_t size = static_cast<size_t>(shape.patches) * static_cast<size_t>(dimension);
  return std::span(values).subspan((image == 0 ? 0 : level * targets + at) * size, size);
}

std::span<const float> DescribedSequence::row(size_t level, int image, int64_t patch) const {
  const auto width = static_cast<size_t>(dimension);
  return strip(level, image).subspan(static_cast<size_t>(patch) * width, width);
}

std::vector<SequenceShape> DescriptorSet::shapes() const {
  std::vector<SequenceShape> all;
  for (const DescribedSequence& sequence : sequences) all.push_back(sequence.shape);
  return all;
}

DescriptorRows parse_descriptor_csv(std::string_view text, const std::string& label, char delimiter) {
  DescriptorRows rows;
  TextReader reader(text, "descriptors", label);
  while (reader.next()) {
    const size_t before = rows.values.size();
    if (!append_row(reader.line(), delimiter, rows.values)) complain(reader, delimiter);
    const size_t found = rows.values.size() - before;
    if (rows.rows == 0) {
      if (found < 2) {
        reader.fail(fmt::format("at least 2 numbers between '{}'", delimiter), shown(reader.line()) + " alone");
      }
      rows.dimension = static_cast<int>(found);
      rows.values.reserve(text.size() / (reader.line().size() + 1) * found);
    }
    if (static_cast<int>(found) != rows.dimension) {
      reader.fail(fmt::format("{} numbers as in the first row", rows.dimension), std::to_string(found));
    }
    ++rows.rows;
  }
  ADA_CHECK(rows.rows > 0, "[descriptors] {}: expected a row of numbers a patch, found an empty file", label);
  return rows;
}

std::vector<std::string> list_descriptors(const fs::path& root) {
  std::error_code error;
  const fs::directory_iterator entries(root, error);
  ADA_CHECK(!error, "[descriptors] {}: cannot be listed: {}", root.string(), error.message());
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : entries) {
    if (is_hpatches_sequence(entry.path(), kCsv)) names.push_back(entry.path().filename().string());
  }
  ADA_CHECK(!names.empty(), "[descriptors] {}: expected folders with ref.csv, e1.csv .. t5.csv, found none",
            root.string());
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<fs::path> descriptor_files(const fs::path& root, const std::vector<std::string>& sequences) {
  std::vector<fs::path> files;
  for (const std::string& name : sequences) {
    for (const size_t strip : sequence_strips(root, name, kCsv)) files.push_back(strip_path(root, name, strip, kCsv));
  }
  return files;
}

DescriptorSet read_descriptor_set(const fs::path& root, const std::vector<std::string>& sequences, char delimiter) {
  DescriptorSet set;
  set.sequences.resize(sequences.size());
  Progress progress("reading", "sequences", std::ssize(sequences));
  parallel_for(std::ssize(sequences), [&](int64_t i) {
    if (stop_requested()) ADA_THROW_KIND(kInterrupted, "[descriptors] interrupted while reading");
    set.sequences[static_cast<size_t>(i)] = read_sequence(root, sequences[static_cast<size_t>(i)], delimiter);
    progress.add(1);
  });
  for (const DescribedSequence& sequence : set.sequences) {
    if (set.dimension == 0) set.dimension = sequence.dimension;
    ADA_CHECK(sequence.dimension == set.dimension,
              "[descriptors] {}: expected {} numbers a row as in {}, found {} - another descriptor's file?",
              strip_path(root, sequence.shape.name, 0, kCsv).string(), set.dimension, sequences.front(),
              sequence.dimension);
  }
  return set;
}

}  // namespace adasample
