// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "adasample/base/error.h"

namespace adasample::testing {

// Expects `action` to throw adasample::Error whose single line contains every one of `parts`.
template <typename Action, typename... Parts>
void expect_error(Action&& action, const Parts&... parts) {
  try {
    action();
  } catch (const Error& error) {
    const std::string message = error.what();
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    for (const std::string& part : {std::string(parts)...}) {
      EXPECT_NE(message.find(part), std::string::npos) << "'" << part << "' is missing from: " << message;
    }
    return;
  }
  ADD_FAILURE() << "no Error was thrown";
}

}  // namespace adasample::testing
