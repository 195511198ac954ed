// SPDX-License-Identifier: Apache-2.0
// The subcommands of `adasample bench`, one file each, and how they time.
#pragma once

#include <functional>
#include <vector>

#include "adasample/cli/context.h"

namespace adasample {

void add_bench_embed(CLI::App& bench, Context& context);
void add_bench_eval(CLI::App& bench, Context& context);
void add_bench_match(CLI::App& bench, Context& context);
void add_bench_pictures(CLI::App& bench, Context& context);
// Both by LibTorch.
inline constexpr const char* kBenchStepDescription = "Training speed in pairs per second, whole iterations";
inline constexpr const char* kBenchLoadDescription =
    "Batches per second filled by the loader's thread, without training";
void add_bench_step(CLI::App& bench, Context& context);
void add_bench_load(CLI::App& bench, Context& context);

double median_of(std::vector<double> values);
double seconds_of(const std::function<void()>& work);
// The median of `rounds` (1 to 100000) after one to warm up. Ctrl-C throws between two.
double median_seconds(int rounds, const std::function<void()>& work);

}  // namespace adasample
