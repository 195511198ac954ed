// SPDX-License-Identifier: Apache-2.0
// One figure out of result files (docs/formats.md): of the whole run, or of each of its sequences. A figure is named by
// the keys that lead to it, between dots: "fpr95", "matching.trapezoid", "mma.3".
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace adasample {

// A JSON object, or an Error that names the file and where it breaks off.
nlohmann::json parse_result(std::string_view text, const std::string& name);

// Throws Error that names the file, the key that is missing or no number, and the keys that are there.
double result_value(const nlohmann::json& result, const std::string& figure, const std::string& name);

// The figure of each sequence under "sequences"; those where it is null (not a number) are left out.
std::map<std::string, double> sequence_values(const nlohmann::json& result, const std::string& figure,
                                              const std::string& name);

// The values of two runs on the same sequences, by name. Throws Error when a sequence is missing in one of them.
std::pair<std::vector<double>, std::vector<double>> pair_by_sequence(const std::map<std::string, double>& a,
                                                                     const std::map<std::string, double>& b);

// What differs between results beside the method, by file: a sentence for each of protocol, split, dist, list,
// detector, size and data_sha256 that is not the same in all files that have it. Where a result has neither `model` nor
// `descriptors`, its data are the descriptors or distances themselves, and their hash says nothing.
std::vector<std::string> differing_settings(const std::map<std::string, nlohmann::json>& results);

}  // namespace adasample
