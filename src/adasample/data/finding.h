// SPDX-License-Identifier: Apache-2.0
// What the data doctor (`adasample data check`) has to say about a folder.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

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

}  // namespace adasample
