// SPDX-License-Identifier: Apache-2.0
// What the whole batch drew, from what each rank drew of its own slots: one call, on every rank the same numbers.
#pragma once

#include "adasample/sampler/sampler.h"
#include "adasample/train/distributed/batch_share.h"

namespace adasample {

struct DrawnPairs {
  SamplerInput input;  // without descriptors and gradients, where it is of several ranks
  PairDraw draw;
};

// Of consecutive slots, in their order.
DrawnPairs joined(const std::vector<DrawnPairs>& parts);
// Of all ranks. Numbers travel as doubles, which hold all of them exactly: patches, slots and classes below 2^53.
DrawnPairs gathered(const BatchShare& share, const DrawnPairs& mine);

}  // namespace adasample
