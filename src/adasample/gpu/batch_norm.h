// SPDX-License-Identifier: Apache-2.0
// Batch norm without affine part, and the ReLU after it, in training mode: y = max(0, (x - mean) / sqrt(var + eps)).
// Rows are pixels, columns channels. The ReLU's mask is recomputed from x, so x is all that a backward pass needs.
// Sums are taken in a fixed order: the same input gives the same bits.
#pragma once

#include "adasample/gpu/gpu.h"

namespace adasample::gpu {

struct Rows {
  const void* data;
  Element element;
  int64_t rows;
  int channels;  // 32, 64 or 128
};

// Per layer, on the device.
struct Statistics {
  float* mean;         // (channels) of the batch
  float* inverse_std;  // (channels)
  float* variance;     // (channels) unbiased, for the running one
  float* scratch;      // kStatisticsScratch floats
};
inline constexpr int64_t kStatisticsScratch = 1 << 18;

void batch_statistics(const Rows& x, double epsilon, const Statistics& statistics, Stream stream);
void normalise_rows(const Rows& x, const Statistics& statistics, bool relu, void* y, Stream stream);

// dx from dy, both of x's shape and element; dx may be dy.
void normalise_rows_backward(const Rows& x, const Statistics& statistics, bool relu, const void* dy, void* dx,
                             Stream stream);

// Running statistics of up to kMostUpdates layers, where `taken` says that the step was: r <- (1 - m) r + m batch.
struct RunningUpdate {
  float *mean, *variance;
  int64_t* batches;
  Statistics batch;
  int channels;
};
inline constexpr int kMostUpdates = 8;
void update_running(const RunningUpdate* updates, int count, double momentum, const bool* taken, Stream stream);

}  // namespace adasample::gpu
