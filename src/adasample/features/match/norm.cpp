// SPDX-License-Identifier: Apache-2.0
// Compiled with -ffp-contract=off (CMakeLists.txt): a fused multiply-add would round otherwise than numpy and scipy.
#include "adasample/features/match/norm.h"

#include <array>
#include <cmath>

#include "adasample/base/error.h"

namespace adasample {
namespace {

constexpr size_t kLanes = 8;  // numpy's number of partial sums; the compiler turns them into vectors

float euclidean(const float* a, const float* b, size_t n) {
  std::array<double, kLanes> sums{};
  size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (size_t lane = 0; lane < kLanes; ++lane) {
      const double difference = a[i + lane] - b[i + lane];  // rounded to float first
      sums[lane] += difference * difference;
    }
  }
  double sum = 0;
  for (; i < n; ++i) {
    const double difference = a[i] - b[i];
    sum += difference * difference;
  }
  for (const double part : sums) sum += part;
  return static_cast<float>(std::sqrt(sum));
}

// numpy's add.reduce: up to 128 numbers in eight partial sums, longer lists halved at a multiple of eight.
float cityblock(const float* a, const float* b, size_t n) {
  constexpr size_t kBlock = 128;
  if (n > kBlock) {
    const size_t half = n / 2 / kLanes * kLanes;
    return cityblock(a, b, half) + cityblock(a + half, b + half, n - half);
  }
  float sum = 0;
  size_t i = 0;
  if (n >= kLanes) {
    std::array<float, kLanes> s{};
    for (; i + kLanes <= n; i += kLanes) {
      for (size_t lane = 0; lane < kLanes; ++lane) s[lane] += std::abs(a[i + lane] - b[i + lane]);
    }
    sum = ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
  }
  for (; i < n; ++i) sum += std::abs(a[i] - b[i]);
  return sum;
}

}  // namespace

Norm norm_from_name(const std::string& name) {
  ADA_USAGE(name == "l2" || name == "l1", "distance = \"{}\", must be l2 or l1", name);
  return name == "l2" ? Norm::kL2 : Norm::kL1;
}

const char* norm_name(Norm norm) { return norm == Norm::kL2 ? "l2" : "l1"; }

float pair_distance(Norm norm, std::span<const float> a, std::span<const float> b) {
  ADA_ASSERT(a.size() == b.size());
  return (norm == Norm::kL2 ? euclidean : cityblock)(a.data(), b.data(), a.size());
}

double table_distance(Norm norm, std::span<const float> a, std::span<const float> b) {
  ADA_ASSERT(a.size() == b.size());
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const double difference = double{a[i]} - double{b[i]};
    sum += norm == Norm::kL2 ? difference * difference : std::abs(difference);
  }
  return norm == Norm::kL2 ? std::sqrt(sum) : sum;
}

}  // namespace adasample
