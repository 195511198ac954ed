// SPDX-License-Identifier: Apache-2.0
// Is this the store that a run was begun with? Counts, the recorded sha256, and a sum over patches spread evenly
// through the file, so that a store edited in place is noticed without reading all of it (`data check` does that).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "adasample/data/patch_store.h"

namespace adasample {

// {"path", "patches", "classes", "patch_size", "sha256", "sample_sha256"}
nlohmann::json store_identity(const PatchStore& store);

// What differs between two identities, a line each ("patches 120 -> 130"); where a store lies does not count.
std::vector<std::string> identity_differences(const nlohmann::json& before, const nlohmann::json& now);

}  // namespace adasample
