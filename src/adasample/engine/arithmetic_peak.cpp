// SPDX-License-Identifier: Apache-2.0
#include "adasample/engine/arithmetic_peak.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>

#include "adasample/base/parallel.h"

namespace adasample {
namespace {

constexpr int64_t kSteps = 20000;  // between two looks at the clock
constexpr int kChains = 12;  // two units times a latency of four or five; 16 registers hold them and the constants

using Float4 [[gnu::vector_size(16)]] = float;
using Float8 [[gnu::vector_size(32)]] = float;
using Float16 [[gnu::vector_size(64)]] = float;

// kSteps * kChains multiply-adds; the value only keeps them from being left out.
template <typename Vector>
[[gnu::always_inline]] inline float multiply_add() {
  const Vector factor = Vector{} + 0.999f, offset = Vector{} + 0.001f;
  Vector sums[kChains];
#pragma GCC unroll 16
  for (int i = 0; i < kChains; ++i) sums[i] = Vector{} + static_cast<float>(2 + i);  // 1 would stay 1, and be left out
  for (int64_t step = 0; step < kSteps; ++step) {
#pragma GCC unroll 16
    for (int i = 0; i < kChains; ++i) sums[i] = sums[i] * factor + offset;
  }
  float total = 0;
  for (const Vector& sum : sums) total += sum[0];
  return total;
}

struct Kernel {
  float (*run)();
  int lanes;
};

float run_128() { return multiply_add<Float4>(); }
#ifdef __x86_64__
[[gnu::target("avx2,fma")]] float run_256() { return multiply_add<Float8>(); }
[[gnu::target("avx512f")]] float run_512() { return multiply_add<Float16>(); }
Kernel widest_kernel() {
  if (__builtin_cpu_supports("avx512f")) return {run_512, 16};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return {run_256, 8};
  return {run_128, 4};
}
#else
Kernel widest_kernel() { return {run_128, 4}; }
#endif

}  // namespace

double measure_fp32_peak(double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto seconds_since = [](Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  };
  const Kernel kernel = widest_kernel();
  const double flops = 2.0 * kernel.lanes * kChains * static_cast<double>(kSteps);
  double best = 0;
  for (int attempt = 0; attempt < 3; ++attempt) {
    std::atomic<int64_t> calls{0};
    const auto begin = Clock::now();
    parallel_for(thread_count(), [&](int64_t) {
      int64_t mine = 0;
      [[maybe_unused]] volatile float sink;
      for (; seconds_since(begin) < seconds; ++mine) sink = kernel.run();
      calls += mine;
    });
    best = std::max(best, static_cast<double>(calls) * flops / seconds_since(begin));
  }
  return best;
}

}  // namespace adasample
