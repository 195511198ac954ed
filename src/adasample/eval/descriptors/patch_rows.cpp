// SPDX-License-Identifier: Apache-2.0
#include "adasample/eval/descriptors/patch_rows.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "adasample/base/error.h"
#include "adasample/base/files/file_io.h"
#include "adasample/base/files/npy.h"
#include "adasample/base/files/row_writer.h"
#include "adasample/base/parallel.h"
#include "adasample/eval/hpatches/descriptor_set.h"

namespace adasample {
namespace {

namespace fs = std::filesystem;
constexpr int64_t kDistanceChunk = 1024;  // pairs

// Rows of a table (n, dimension) that `keeper` keeps alive.
template <typename Real, typename Keeper>
PatchRows rows_of(std::shared_ptr<Keeper> keeper, std::span<const Real> table, int dimension, std::string name) {
  const auto read = [keeper = std::move(keeper), table, width = static_cast<size_t>(dimension), name = std::move(name)](
                        std::span<const int64_t> patches, Progress& progress) {
    std::vector<float> rows;
    rows.reserve(patches.size() * width);
    for (const int64_t patch : patches) {
      for (const Real value : table.subspan(static_cast<size_t>(patch) * width, width)) {
        ADA_CHECK(std::abs(value) <= kLargestInFile,  // not so for what is not a number
                  "[descriptors] {}: row {}: expected finite numbers of at most {:g}, found {}", name, patch,
                  kLargestInFile, static_cast<double>(value));
        rows.push_back(static_cast<float>(value));
      }
    }
    progress.add(std::ssize(patches));
    return rows;
  };
  return {dimension, read};
}

void check_count(int64_t rows, int64_t patches, const fs::path& file) {
  ADA_CHECK(rows == patches, "[descriptors] {}: expected {} rows, one a patch of the set, found {}", file.string(),
            patches, rows);
}

PatchRows rows_from_npy(const fs::path& file, int64_t patches) {
  const auto npy = std::make_shared<NpyFile>(file);
  const std::vector<int64_t>& shape = npy->shape();
  constexpr int64_t kWidest = 65536;
  ADA_CHECK(shape.size() == 2 && shape[1] >= 1 && shape[1] <= kWidest,
            "[descriptors] {}: expected an array of two dimensions, a row a patch, found the shape ({})", file.string(),
            fmt::join(shape, ", "));
  check_count(shape[0], patches, file);
  const auto dimension = static_cast<int>(shape[1]);
  if (npy->header().type == NpyType::kFloat64) return rows_of(npy, npy->data<double>(), dimension, file.string());
  return rows_of(npy, npy->data<float>(), dimension, file.string());
}

PatchRows rows_from_csv(const fs::path& file, int64_t patches) {
  const auto rows = std::make_shared<DescriptorRows>(parse_descriptor_csv(read_text(file), file.string()));
  check_count(rows->rows, patches, file);
  return rows_of(rows, std::span<const float>(rows->values), rows->dimension, file.string());
}

// The patches that occur in `pairs`, each once, by index: reading them walks the files forwards.
std::vector<int64_t> needed_patches(const PatchPairs& pairs) {
  std::vector<int64_t> needed = pairs.first;
  needed.insert(needed.end(), pairs.second.begin(), pairs.second.end());
  std::sort(needed.begin(), needed.end());
  needed.erase(std::unique(needed.begin(), needed.end()), needed.end());
  return needed;
}

float euclidean(std::span<const float> a, std::span<const float> b) {
  float sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum);
}

}  // namespace

PatchRows rows_by(const PatchSource& source, Descriptor& descriptor, double& seconds) {
  return {descriptor.dimension(),
          [&](std::span<const int64_t> patches, Progress& progress) {
            return describe_patches(source, descriptor, patches, progress, seconds);
          },
          descriptor.metric()};
}

PatchRows rows_from_file(const fs::path& file, int64_t patches) {
  return row_format(file) == RowFormat::kNpy ? rows_from_npy(file, patches) : rows_from_csv(file, patches);
}

std::vector<double> measure_pairs(const PatchPairs& pairs, const PatchRows& rows) {
  const std::vector<int64_t> patches = needed_patches(pairs);
  Progress progress("describing", "patches", std::ssize(patches));
  const std::vector<float> descriptors = rows.read(patches, progress);
  const auto dimension = static_cast<size_t>(rows.dimension);
  const auto number = [&](int64_t patch) {
    return std::lower_bound(patches.begin(), patches.end(), patch) - patches.begin();
  };
  const auto count = static_cast<int64_t>(pairs.labels.size());
  std::vector<double> distances(pairs.labels.size());
  if (rows.metric != nullptr) {
    const auto numbers = [&](const std::vector<int64_t>& side) {
      std::vector<int64_t> all;
      for (const int64_t patch : side) all.push_back(number(patch));
      return all;
    };
    rows.metric->measure(descriptors, numbers(pairs.first), numbers(pairs.second), distances);
    return distances;
  }
  const auto row = [&](int64_t patch) {
    return std::span(descriptors).subspan(static_cast<size_t>(number(patch)) * dimension, dimension);
  };
  parallel_for((count + kDistanceChunk - 1) / kDistanceChunk, [&](int64_t chunk) {
    const int64_t end = std::min(count, (chunk + 1) * kDistanceChunk);
    for (auto i = static_cast<size_t>(chunk * kDistanceChunk); i < static_cast<size_t>(end); ++i) {
      distances[i] = euclidean(row(pairs.first[i]), row(pairs.second[i]));
    }
  });
  return distances;
}

}  // namespace adasample
