// SPDX-License-Identifier: Apache-2.0
// Made-up descriptors of a small HPatches set.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "adasample/base/random/rng.h"
#include "adasample/eval/hpatches/descriptor_set.h"
#include "tests/support/naive_distance.h"

namespace adasample::testing {

// A view of a patch is the patch's own vector and noise that grows with the level; rounded to 1 / `grid`, so that a
// coarse one makes many ties.
inline DescriptorSet made_up_set(uint64_t seed, const std::vector<SequenceShape>& shapes, int dimension, double grid) {
  DescriptorSet set;
  set.dimension = dimension;
  for (size_t s = 0; s < shapes.size(); ++s) {
    const RngKey key = RngKey(seed, Draw::kScene).at(s);
    DescribedSequence sequence{shapes[s], dimension, {}};
    const int strips = 1 + 3 * (shapes[s].images - 1);
    for (int strip = 0; strip < strips; ++strip) {
      const double noise = 0.5 * (1 + (strip + shapes[s].images - 2) / (shapes[s].images - 1));
      for (int64_t patch = 0; patch < shapes[s].patches; ++patch) {
        RngStream own(key.at(0).at(static_cast<uint64_t>(patch)));
        RngStream view(key.at(static_cast<uint64_t>(strip) + 1).at(static_cast<uint64_t>(patch)));
        for (int d = 0; d < dimension; ++d) {
          sequence.values.push_back(
              static_cast<float>(std::round((own.normal() + noise * view.normal()) * grid) / grid));
        }
      }
    }
    set.sequences.push_back(std::move(sequence));
  }
  return set;
}

}  // namespace adasample::testing
