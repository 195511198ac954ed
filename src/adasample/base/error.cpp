// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/error.h"

#include <cerrno>
#include <system_error>

#include "adasample/base/text.h"

namespace adasample {

Error::Error(Kind kind, const std::string& message, const char* source_file, int source_line)
    : std::runtime_error(message_line(message)), kind_(kind), source_file_(source_file), source_line_(source_line) {}

std::string errno_text(int error_number) {
  switch (error_number) {
    case ENOSPC:
      return "the disk is full";
    case EDQUOT:
      return "the quota is used up";
    case EROFS:
      return "the file system is read-only";
    default:
      return std::generic_category().message(error_number);
  }
}

}  // namespace adasample
