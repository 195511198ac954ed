// SPDX-License-Identifier: Apache-2.0
// The 116 sequences of the HPatches patches release (57 under changing light, i_*, then 59 seen from elsewhere, v_*),
// in the order of the benchmark's split "full", and how many patches each has. The benchmark's task files pin most
// counts exactly, some to a range; a copy with other counts is another version, whose figures cannot be compared.
#pragma once

#include <span>

namespace adasample {

struct HpatchesCount {
  const char* name;
  int low, high;  // patches, both included
};

std::span<const HpatchesCount> hpatches_release_sequences();

}  // namespace adasample
