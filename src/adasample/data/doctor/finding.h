// SPDX-License-Identifier: Apache-2.0
// What the data doctor (`adasample data check`) has to say about a folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "adasample/base/error.h"

namespace adasample {

struct Finding {
  std::string path;  // file or folder, with ":line" where one is meant
  std::string what;  // what was expected and what was found
  std::string mend;  // what to do about it
};

struct Diagnosis {
  std::string kind;                                        // "PhotoTour set", "HPatches release", ...
  std::vector<std::pair<std::string, int64_t>> inventory;  // what is there: ("patches", 450092)
  std::vector<Finding> problems;                           // none: the data are as they should be
  std::vector<Finding> remarks;                            // worth knowing, nothing wrong
};

// The message "[module] PATH:LINE: what" in its parts.
Finding finding_of(const Error& error, const std::filesystem::path& path, const std::string& mend);

// A doctor goes on where a reader gives up: an Error about the data becomes a problem, and there is no result.
template <typename Read>
auto attempt(std::vector<Finding>& problems, const std::filesystem::path& path, const std::string& mend, Read&& read)
    -> std::optional<decltype(read())> {
  try {
    return read();
  } catch (const Error& error) {
    if (error.kind() != Error::Kind::kWork) throw;
    problems.push_back(finding_of(error, path, mend));
    return std::nullopt;
  }
}

}  // namespace adasample
