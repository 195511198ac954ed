// SPDX-License-Identifier: Apache-2.0
// The options of commands that make up views: how many, how far they differ, and in what.
#pragma once

#include <string>

#include "adasample/cli/context.h"
#include "adasample/data/view_options.h"

namespace adasample {

struct ViewArguments {
  std::string jitter = "graded", hard = "usual";
  double max_warp = -1;  // below 0: what `hard` has

  void apply(ViewClassOptions& options) const;
};

// --views, --size, --jitter, --hard, --max-warp.
void add_view_options(CLI::App& command, ViewArguments& arguments, ViewClassOptions& options);

}  // namespace adasample
