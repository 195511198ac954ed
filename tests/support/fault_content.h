// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace adasample::testing {

// More than FileWriter's buffer, and no two stretches alike.
inline std::string fault_content() {
  std::string content;
  for (int i = 0; i < 12000; ++i) content += std::to_string(i) + "\n";
  return content;
}

}  // namespace adasample::testing
