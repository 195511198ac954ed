// SPDX-License-Identifier: Apache-2.0
// A comparison in words, and for the record (docs/formats.md, `eval compare`).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "adasample/eval/statistics/comparison.h"

namespace adasample {

// Lines without the last line feed. `why`: of the pairing, as Pairing has it; may be empty.
std::string comparison_text(const Comparison& comparison, const std::string& why = "");

// A bound that is infinite is written as null.
nlohmann::ordered_json comparison_json(const Comparison& comparison, const std::string& why = "");

}  // namespace adasample
