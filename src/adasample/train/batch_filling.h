// SPDX-License-Identifier: Apache-2.0
// The loader of batches alone, for those who time it; this header is free of Torch.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "adasample/data/patch_store.h"

namespace adasample {

// Each call fills the batch of the next iteration and drops it, as BatchLoader::load() does: the one after is being
// filled meanwhile. The stores must outlive the function.
std::function<void()> make_batch_filling(const std::vector<const PatchStore*>& stores, int64_t batch, int64_t k,
                                         uint64_t seed);

}  // namespace adasample
