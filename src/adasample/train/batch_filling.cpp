// SPDX-License-Identifier: Apache-2.0
#include "adasample/train/batch_filling.h"

#include <memory>

#include "adasample/train/batch_loader.h"

namespace adasample {

std::function<void()> make_batch_filling(const std::vector<const PatchStore*>& stores, int64_t batch, int64_t k,
                                         uint64_t seed) {
  LoaderOptions options;
  options.batch = batch;
  options.k = k;
  options.seed = seed;
  return [loader = std::make_shared<BatchLoader>(stores, options), iteration = int64_t{0}]() mutable {
    loader->load(iteration++);
  };
}

}  // namespace adasample
