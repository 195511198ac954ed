// SPDX-License-Identifier: Apache-2.0
#include "adasample/gpu/batch_norm.h"

#include "adasample/gpu/cuda/batch_norm.cuh"
#include "adasample/gpu/cuda/columns.cuh"
#include "adasample/gpu/cuda/vector8.cuh"

namespace adasample::gpu {
namespace {

// Threads walk over the rows so that each stays with its eight channels.
struct Walk {
  int64_t index, stride, end;  // in units of eight elements
  int channel;                 // the first of the eight
  template <int C>
  __device__ static Walk over(int64_t rows) {
    const int64_t thread = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
    return {thread, int64_t{gridDim.x} * blockDim.x, rows * (C / 8), static_cast<int>(threadIdx.x % (C / 8)) * 8};
  }
};

template <typename T, int C>
__global__ void __launch_bounds__(kColumnThreads, 2) sum_rows(const T* x, int64_t rows, float* partial) {
  __shared__ float shared[kColumnThreads / 32 * C / 8 * 16];
  float sums[16] = {};
  const Walk walk = Walk::over<C>(rows);
#pragma unroll 4
  for (int64_t i = walk.index; i < walk.end; i += walk.stride) {
    float v[8];
    load8(x + i * 8, v);
#pragma unroll
    for (int c = 0; c < 8; ++c) {
      sums[2 * c] += v[c];
      sums[2 * c + 1] += v[c] * v[c];
    }
  }
  add_over_block<C / 8>(sums, shared, partial + int64_t{blockIdx.x} * 2 * C);
}

template <typename T, int C, bool Relu>
__global__ void __launch_bounds__(kColumnThreads, 2)
    sum_gradients(const T* x, const T* dy, int64_t rows, Statistics s, float* partial) {
  __shared__ float shared[kColumnThreads / 32 * C / 8 * 16];
  float sums[16] = {};
  const Walk walk = Walk::over<C>(rows);
  const Channels8 norm(s, walk.channel);
#pragma unroll 2
  for (int64_t i = walk.index; i < walk.end; i += walk.stride) {
    float v[8], g[8];
    load8(x + i * 8, v);
    load8(dy + i * 8, g);
#pragma unroll
    for (int c = 0; c < 8; ++c) {
      const float y = norm(v[c], c), gradient = Relu && y <= 0 ? 0 : g[c];
      sums[2 * c] += gradient;
      sums[2 * c + 1] += gradient * y;
    }
  }
  add_over_block<C / 8>(sums, shared, partial + int64_t{blockIdx.x} * 2 * C);
}

template <typename T, int C, bool Relu>
__global__ void __launch_bounds__(kColumnThreads, 2) normalise(const T* x, int64_t rows, Statistics s, T* y) {
  const Walk walk = Walk::over<C>(rows);
  const Channels8 norm(s, walk.channel);
#pragma unroll 4
  for (int64_t i = walk.index; i < walk.end; i += walk.stride) {
    float v[8];
    load8(x + i * 8, v);
#pragma unroll
    for (int c = 0; c < 8; ++c) {
      v[c] = norm(v[c], c);
      if (Relu) v[c] = fmaxf(v[c], 0.f);
    }
    store8(y + i * 8, v);
  }
}

template <typename T, int C, bool Relu>
__global__ void __launch_bounds__(kColumnThreads, 2)
    gradient_rows(const T* x, const T* dy, int64_t rows, Statistics s, T* dx) {
  const Walk walk = Walk::over<C>(rows);
  const Backward8 back(s, walk.channel, C);
#pragma unroll 2
  for (int64_t i = walk.index; i < walk.end; i += walk.stride) {
    float v[8], g[8];
    load8(x + i * 8, v);
    load8(dy + i * 8, g);
#pragma unroll
    for (int c = 0; c < 8; ++c) v[c] = back.gradient<Relu>(v[c], g[c], c);
    store8(dx + i * 8, v);
  }
}

// A warp a channel.
__global__ void statistics_of(int blocks, int64_t rows, int channels, float epsilon, Statistics s) {
  const int c = blockIdx.x;
  const double sum = add_partials(s.scratch + 2 * c, blocks, 2 * channels);
  const double squares = add_partials(s.scratch + 2 * c + 1, blocks, 2 * channels);
  if (threadIdx.x != 0) return;
  const double mean = sum / rows, variance = fmax(squares / rows - mean * mean, 0.0);
  s.mean[c] = static_cast<float>(mean);
  s.inverse_std[c] = static_cast<float>(1 / sqrt(variance + epsilon));
  s.variance[c] = static_cast<float>(variance * rows / (rows - 1));
}

__global__ void gradients_of(int blocks, int64_t rows, int channels, Statistics s) {
  const int c = blockIdx.x;
  const double sum = add_partials(s.scratch + 2 * c, blocks, 2 * channels);
  const double products = add_partials(s.scratch + 2 * c + 1, blocks, 2 * channels);
  if (threadIdx.x != 0) return;
  gradient_means(s, channels)[2 * c] = static_cast<float>(sum / rows);
  gradient_means(s, channels)[2 * c + 1] = static_cast<float>(products / rows);
}

struct RunningUpdates {
  RunningUpdate update[kMostUpdates];
};

__global__ void update_all(RunningUpdates all, float momentum, const bool* taken) {
  const RunningUpdate& u = all.update[blockIdx.x];
  const int c = threadIdx.x;
  if (!*taken || c >= u.channels) return;
  u.mean[c] = (1 - momentum) * u.mean[c] + momentum * u.batch.mean[c];
  u.variance[c] = (1 - momentum) * u.variance[c] + momentum * u.batch.variance[c];
  if (c == 0) ++*u.batches;
}

template <typename F>
void with_shape(const Rows& rows, bool relu, F&& f) {
  with_element(rows.element, [&]<typename T>(T* type) {
    const auto choose = [&]<int C>() {
      relu ? f.template operator()<C, true>(type) : f.template operator()<C, false>(type);
    };
    if (rows.channels == 32) return choose.template operator()<32>();
    if (rows.channels == 64) return choose.template operator()<64>();
    if (rows.channels == 128) return choose.template operator()<128>();
    fail("batch norm", "32, 64 or 128 channels are what it is written for");
  });
}

}  // namespace

void finish_statistics(int blocks, int64_t rows, int channels, double epsilon, const Statistics& s, Stream stream) {
  statistics_of<<<channels, 32, 0, stream>>>(blocks, rows, channels, static_cast<float>(epsilon), s);
  check_launch("statistics of batch norm");
}

void batch_statistics(const Rows& x, double epsilon, const Statistics& s, Stream stream) {
  const int blocks = column_blocks();
  with_shape(x, false, [&]<int C, bool Relu, typename T>(T*) {
    sum_rows<T, C><<<blocks, kColumnThreads, 0, stream>>>(static_cast<const T*>(x.data), x.rows, s.scratch);
  });
  check_launch("sums of batch norm");
  finish_statistics(blocks, x.rows, x.channels, epsilon, s, stream);
}

void normalise_rows(const Rows& x, const Statistics& s, bool relu, void* y, Stream stream) {
  with_shape(x, relu, [&]<int C, bool Relu, typename T>(T*) {
    normalise<T, C, Relu>
        <<<column_blocks(), kColumnThreads, 0, stream>>>(static_cast<const T*>(x.data), x.rows, s, static_cast<T*>(y));
  });
  check_launch("batch norm");
}

void sum_row_gradients(const Rows& x, const Statistics& s, bool relu, const void* dy, Stream stream) {
  const int blocks = column_blocks();
  with_shape(x, relu, [&]<int C, bool Relu, typename T>(T*) {
    sum_gradients<T, C, Relu><<<blocks, kColumnThreads, 0, stream>>>(static_cast<const T*>(x.data),
                                                                     static_cast<const T*>(dy), x.rows, s, s.scratch);
  });
  check_launch("sums of batch norm's gradient");
  gradients_of<<<x.channels, 32, 0, stream>>>(blocks, x.rows, x.channels, s);
  check_launch("means of batch norm's gradient");
}

void normalise_rows_backward(const Rows& x, const Statistics& s, bool relu, const void* dy, void* dx, Stream stream) {
  sum_row_gradients(x, s, relu, dy, stream);
  with_shape(x, relu, [&]<int C, bool Relu, typename T>(T*) {
    gradient_rows<T, C, Relu><<<column_blocks(), kColumnThreads, 0, stream>>>(
        static_cast<const T*>(x.data), static_cast<const T*>(dy), x.rows, s, static_cast<T*>(dx));
  });
  check_launch("batch norm's gradient");
}

void update_running(const RunningUpdate* updates, int count, double momentum, const bool* taken, Stream stream) {
  if (count > kMostUpdates) fail("running statistics", "more layers than there is room for");
  RunningUpdates all{};
  for (int i = 0; i < count; ++i) all.update[i] = updates[i];
  update_all<<<count, 128, 0, stream>>>(all, static_cast<float>(momentum), taken);
  check_launch("running statistics");
}

}  // namespace adasample::gpu
