// SPDX-License-Identifier: Apache-2.0
#include "adasample/train/pass/transforms.h"

#include <gtest/gtest.h>

#include <cmath>

namespace adasample::pass {
namespace {

// Numbers of no pattern, and the transforms in double precision: what is left of errors are the constants, in single.
double number(int i) { return std::sin(12.9898 * i + 1); }
constexpr double kConstants = 2e-6;

template <typename T>
struct Transform : public ::testing::Test {};
using Both = ::testing::Types<Stride1, Stride2>;
TYPED_TEST_SUITE(Transform, Both);

// y_i = sum over k of w_k x_(stride i + k), and with no more products than it says.
TYPED_TEST(Transform, IsAConvolution) {
  using T = TypeParam;
  constexpr int kStride = T::kStep / kOutputs;
  double x[T::kSamples], w[3], p[T::kPoints], y[kOutputs];
  for (int i = 0; i < T::kSamples; ++i) x[i] = number(i);
  for (int k = 0; k < 3; ++k) w[k] = number(100 + k);
  T::points(x, p);
  for (int i = 0; i < T::kPoints; ++i) {
    p[i] *= T::kWeights[i][0] * w[0] + T::kWeights[i][1] * w[1] + T::kWeights[i][2] * w[2];
  }
  T::outputs(p, y);
  for (int i = 0; i < kOutputs; ++i) {
    const double expected = w[0] * x[kStride * i] + w[1] * x[kStride * i + 1] + w[2] * x[kStride * i + 2];
    EXPECT_NEAR(y[i], expected, kConstants) << "output " << i;
  }
}

// <points(x), p> = <x, points_adjoint(p)>, and the same for the outputs.
TYPED_TEST(Transform, AdjointsAreAdjoint) {
  using T = TypeParam;
  double x[T::kSamples], p[T::kPoints], of_x[T::kPoints], back[T::kSamples];
  for (int i = 0; i < T::kSamples; ++i) x[i] = number(i);
  for (int i = 0; i < T::kPoints; ++i) p[i] = number(200 + i);
  T::points(x, of_x);
  T::points_adjoint(p, back);
  double one = 0, other = 0;
  for (int i = 0; i < T::kPoints; ++i) one += of_x[i] * p[i];
  for (int i = 0; i < T::kSamples; ++i) other += x[i] * back[i];
  EXPECT_NEAR(one, other, kConstants);

  double y[kOutputs], of_p[kOutputs], of_y[T::kPoints];
  for (int i = 0; i < kOutputs; ++i) y[i] = number(300 + i);
  T::outputs(p, of_p);
  T::outputs_adjoint(y, of_y);
  one = other = 0;
  for (int i = 0; i < kOutputs; ++i) one += of_p[i] * y[i];
  for (int i = 0; i < T::kPoints; ++i) other += p[i] * of_y[i];
  EXPECT_NEAR(one, other, kConstants);
}

}  // namespace
}  // namespace adasample::pass
