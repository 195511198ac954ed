// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <c10/cuda/CUDAStream.h>

#include "adasample/gpu/gpu.h"

namespace adasample {

// LibTorch's present stream, for own kernels.
inline gpu::Stream torch_stream() { return c10::cuda::getCurrentCUDAStream().stream(); }

}  // namespace adasample
