// SPDX-License-Identifier: Apache-2.0
// Describes patches on a GPU with the kernels of gpu/embedder.h: bf16, no LibTorch.
#pragma once

#include <memory>
#include <string>

#include "adasample/engine/engine.h"

namespace adasample {

// Whether this build has the kernels and the current GPU runs them.
bool cuda_engine_available();

std::unique_ptr<Engine> make_cuda_engine(const Weights& weights, std::string name);

// Seconds for one pass over `count` patches that lie in the GPU's memory already: the median of `rounds`.
double measure_cuda_engine(const Weights& weights, int64_t count, int rounds);

}  // namespace adasample
