// SPDX-License-Identifier: Apache-2.0
// ADA_DEVICE marks what the GPU's kernels use too: one definition of a formula for both.
#pragma once

#ifdef __CUDACC__
#define ADA_DEVICE __host__ __device__
#else
#define ADA_DEVICE
#endif
