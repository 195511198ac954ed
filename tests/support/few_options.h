// SPDX-License-Identifier: Apache-2.0
// Three options of a training by name, standing for those that the command line binds.
#pragma once

#include <fmt/format.h>

#include <map>
#include <string>

#include "adasample/experiment/run_plan.h"

namespace adasample::testing {

class FewOptions : public OptionText {
 public:
  std::string config(const RunPlan& plan) const override {
    return fmt::format("out = '{}'\nk = {}\n", plan.inputs.out, plan.options.k);
  }
  std::map<std::string, std::string> values(const TrainOptions& options) const override {
    return {{"k", fmt::format("{}", options.k)},
            {"iterations", fmt::format("{}", options.iterations)},
            {"keep-last", fmt::format("{}", options.keep_last)}};
  }
  bool set(TrainOptions& options, const std::string& name, const std::string& value) const override {
    int64_t* member = name == "k"            ? &options.k
                      : name == "iterations" ? &options.iterations
                      : name == "keep-last"  ? &options.keep_last
                                             : nullptr;
    if (member == nullptr || value.empty() || value.find_first_not_of("0123456789") != std::string::npos) return false;
    *member = std::stoll(value);
    return true;
  }
};

}  // namespace adasample::testing
