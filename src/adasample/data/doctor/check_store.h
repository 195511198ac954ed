// SPDX-License-Identifier: Apache-2.0
// The data doctor's look at one of our own stores.
#pragma once

#include <filesystem>
#include <string>

#include "adasample/data/doctor/finding.h"

namespace adasample {

bool looks_like_store(const std::filesystem::path& folder);

// Bytes that no longer are what was written, patches without contrast, and patches that occur in two classes: the same
// picture under two labels, which a descriptor cannot learn.
Diagnosis check_store(const std::filesystem::path& folder);

// The sha256 computed anew from the arrays: equal to meta.json's unless the store was changed.
std::string store_fingerprint(const std::filesystem::path& folder);

}  // namespace adasample
