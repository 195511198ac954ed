// SPDX-License-Identifier: Apache-2.0
// Two kinds of failure, one exception type, caught at the border: programs/main.cpp, and engine/c_api.cpp for callers
// in C.
//  - ADA_CHECK: the world is not as it should be (a file, a disk, data). Exit code 1.
//  - ADA_USAGE: the caller asked for something that cannot be (an option out of range). Exit code 2.
//  - ADA_ASSERT: our own bug; never compiled out.
// ADA_THROW_KIND(kInterrupted, ..) ends work that the user stopped; exit code 130.
// A message is one line: "[module] file:line: what was expected, what was found - hint".
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <utility>

#include "adasample/base/exception.h"

namespace adasample {

// "No such file or directory", "the disk is full", .. for an errno value; thread safe.
std::string errno_text(int error_number);

}  // namespace adasample

#define ADA_THROW_KIND(kind, ...) \
  throw ::adasample::Error(::adasample::Error::Kind::kind, ::fmt::format(__VA_ARGS__), __FILE__, __LINE__)
#define ADA_THROW(...) ADA_THROW_KIND(kWork, __VA_ARGS__)
#define ADA_CHECK(condition, ...)             \
  do {                                        \
    if (!(condition)) ADA_THROW(__VA_ARGS__); \
  } while (false)
#define ADA_USAGE(condition, ...)                          \
  do {                                                     \
    if (!(condition)) ADA_THROW_KIND(kUsage, __VA_ARGS__); \
  } while (false)
#define ADA_ASSERT(condition)                                                                  \
  do {                                                                                         \
    if (!(condition)) ADA_THROW_KIND(kBug, "[bug] {}:{}: {}", __FILE__, __LINE__, #condition); \
  } while (false)
