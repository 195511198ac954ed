// SPDX-License-Identifier: Apache-2.0
// One figure out of result files (docs/formats.md): of the whole run, or of each of its sequences. A figure is named by
// the keys that lead to it, between dots: "fpr95", "matching.trapezoid", "mma.3".
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adasample/eval/statistics/comparison.h"

namespace adasample {

// A JSON object, or an Error that names the file and where it breaks off.
nlohmann::json parse_result(std::string_view text, const std::string& name);

// Throws Error that names the file, the key that is missing or no number, and the keys that are there.
double result_value(const nlohmann::json& result, const std::string& figure, const std::string& name);

// The same where it may be missing: nothing for a key that is not there, or leads to no number.
std::optional<double> find_value(const nlohmann::json& result, const std::string& figure);

// The figure of each sequence under "sequences"; those where it is null (not a number) are left out.
std::map<std::string, double> sequence_values(const nlohmann::json& result, const std::string& figure,
                                              const std::string& name);

using Results = std::map<std::string, nlohmann::json>;  // by file

// The runs whose results are in these files: the figure and the seeds their models were trained with ("model_seed"),
// where they are known. Sequences of all of them, or of none where one has no figure of its sequences. `whole`: whether
// the figure is wanted of the whole result too; else only of its sequences, which it must have.
struct ResultRuns {
  RunValues values;
  Seeds seeds;
};
ResultRuns result_runs(const std::vector<std::string>& files, const Results& results, const std::string& figure,
                       bool whole);

// What differs between results beside the method, by file: a sentence for each of protocol, split, dist, list,
// detector, size and data_sha256 that is not the same in all files that have it. Where a result has neither `model` nor
// `descriptors`, its data are the descriptors or distances themselves, and their hash says nothing.
std::vector<std::string> differing_settings(const Results& results);

}  // namespace adasample
