// SPDX-License-Identifier: Apache-2.0
// Descriptors of the patches of a set, by patch number: computed when asked for, or read from a file that any program
// wrote. Evaluations that ask by number take either.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <vector>

#include "adasample/base/progress.h"
#include "adasample/data/labelled_pairs.h"
#include "adasample/features/describe/patch_source.h"
#include "adasample/model/descriptor.h"

namespace adasample {

struct PatchRows {
  int dimension = 0;
  // (patches.size(), dimension); `progress` counts patches.
  std::function<std::vector<float>(std::span<const int64_t> patches, Progress& progress)> read;
  const PairMetric* metric = nullptr;  // how rows are compared where that was learned
};

// describe_patches(). All three must outlive the rows; `seconds` grows by the time spent in describe().
PatchRows rows_by(const PatchSource& source, Descriptor& descriptor, double& seconds);

// A file with a row of numbers for each of `patches` patches: .npy (float32 or float64, mapped, not read) or .csv
// (numbers between commas, no header; held in memory). Throws Error that names the file, for another number of rows,
// and, when its row is asked for, for a number that is not finite or exceeds kLargestInFile
// (eval/hpatches/descriptor_set.h).
PatchRows rows_from_file(const std::filesystem::path& file, int64_t patches);

// Asks once for every patch that occurs in `pairs`; distances, one a pair, are those of the rows' learned metric or,
// where they have none, Euclidean, in float32.
std::vector<double> measure_pairs(const PatchPairs& pairs, const PatchRows& rows);

}  // namespace adasample
