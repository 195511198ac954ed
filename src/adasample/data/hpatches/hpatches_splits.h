// SPDX-License-Identifier: Apache-2.0
// Which HPatches sequences to train on and which to test on. The benchmark's six splits are built in: a, b, c (40 to
// test, 76 to train on), illum and view (each trains on the other's test sequences) and full (test only).
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace adasample {

struct HpatchesSplit {
  std::vector<std::string> test;   // names of sequences; the benchmark's tasks depend on their order
  std::vector<std::string> train;  // empty: there is nothing to train on
};

using HpatchesSplits = std::map<std::string, HpatchesSplit>;

const HpatchesSplits& benchmark_splits();

// A file like the benchmark's splits.json: {"a": {"test": [names], "train": [names]}, ..}; "train" may be missing.
// Names occur once in a split. Throws Error that names the file and the split.
HpatchesSplits parse_splits(std::string_view text, const std::string& name);
HpatchesSplits read_splits(const std::filesystem::path& path);

// The sequences of one part, "train" or "test". Usage errors name the splits there are, or those with that part.
const std::vector<std::string>& split_part(const HpatchesSplits& splits, const std::string& split,
                                           const std::string& part);

}  // namespace adasample
