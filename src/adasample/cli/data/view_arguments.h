// SPDX-License-Identifier: Apache-2.0
// Options that several commands share: views that are made up (how many, how far they differ, and in what), and copies
// that fill up classes of few real patches.
#pragma once

#include <optional>
#include <string>

#include "adasample/cli/context.h"
#include "adasample/data/view_options.h"

namespace adasample {

struct ViewArguments {
  std::string jitter = "graded", hard = "usual";
  std::optional<double> max_warp;  // none: what `hard` has

  void apply(ViewClassOptions& options) const;
};

// --views, --size, --jitter, --hard, --max-warp.
void add_view_options(CLI::App& command, ViewArguments& arguments, ViewClassOptions& options);

// --redetect, --min-overlap, --max-turn.
void add_redetect_options(CLI::App& command, RedetectOptions& options);

// --positives, --angle.
void add_copies_options(CLI::App& command, int& positives, double& angle);

}  // namespace adasample
