// SPDX-License-Identifier: Apache-2.0
// Patches by number from anywhere, and descriptors of them.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "adasample/base/progress.h"
#include "adasample/model/descriptor.h"

namespace adasample {

struct PatchSource {
  int size = 0;  // pixels along a side
  // Writes patch `index` to out (size, size); called from several threads at once.
  std::function<void(int64_t index, std::span<uint8_t> out)> read;
};

inline constexpr int64_t kDescribeChunk = 4096;  // patches described at once, at most

// Throws Error for a row that is not finite: finite weights can still be so large that a network overflows, and what it
// says then is no descriptor. `first`: the number of the first row's patch, for the message.
void check_descriptors(std::span<const float> descriptors, size_t first, const Descriptor& descriptor);

// Descriptors of these patches, float [patches.size(), dimension]; pixels are copied a chunk at a time. `progress`
// counts patches, `seconds` grows by the time spent in describe().
std::vector<float> describe_patches(const PatchSource& source, Descriptor& descriptor, std::span<const int64_t> patches,
                                    Progress& progress, double& seconds);

}  // namespace adasample
