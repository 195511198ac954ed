// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace adasample {

// The samplers of sampler.h: what --sampler takes.
std::vector<std::string> sampler_names();

}  // namespace adasample
