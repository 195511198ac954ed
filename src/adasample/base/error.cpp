// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/error.h"

#include <system_error>

namespace adasample {

std::string errno_text(int error_number) { return std::generic_category().message(error_number); }

}  // namespace adasample
