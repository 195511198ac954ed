// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace adasample::testing {

// The warnings logged so far in this test; those taken no longer fail it.
std::vector<std::string> take_warnings();

}  // namespace adasample::testing
