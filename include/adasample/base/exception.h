// SPDX-License-Identifier: Apache-2.0
// The one exception type. Apart from error.h so that a user of the installed library needs no fmt to catch it.
#pragma once

#include <stdexcept>
#include <string>

namespace adasample {

class Error : public std::runtime_error {
 public:
  enum class Kind { kWork, kUsage, kBug, kInterrupted };

  // The message becomes one line of a few hundred characters that a terminal shows and does not obey, whatever it quotes.
  Error(Kind kind, const std::string& message, const char* source_file, int source_line);

  Kind kind() const { return kind_; }
  // Where in our sources it was thrown; shown with --verbose.
  const char* source_file() const { return source_file_; }
  int source_line() const { return source_line_; }

 private:
  Kind kind_;
  const char* source_file_;
  int source_line_;
};

}  // namespace adasample
