// SPDX-License-Identifier: Apache-2.0
// Winograd's short convolutions: y = A'[(G w) * (B' x)], four outputs of three weights at a time, with fewer products
// than 12. Each transform here is along one direction; apply it to rows and columns for the plane.
//   Stride1  6 products for 4 outputs: Toom-Cook at 0, +-sqrt(1/2), +-sqrt(2), infinity
//   Stride2  9: the outer two weights see every second sample, 5 products at 0, +-3/4, 3/2, infinity; the middle one
//            sees the others, 4 products
// The points are chosen for small rounding errors: half of those of 0, +-1, +-2. A backward pass is the adjoint: B and
// A in place of B' and A'.
#pragma once

#include "adasample/train/pass/lanes.h"

namespace adasample::pass {

inline constexpr int kOutputs = 4;  // in a tile's row

struct Stride1 {
  static constexpr int kSamples = 6, kPoints = 6, kStep = 4;  // kStep: samples between two tiles

  static constexpr float kA = 0.70710678118654752440f, kB = 1.41421356237309504880f;  // a^2 = 1/2, b^2 = 2

  template <typename V>
  static ADA_LANES void points(const V* x, V* p) {  // B'
    const V near = x[4] - 2 * x[2], near_odd = x[3] - 2 * x[1];
    const V far = x[4] - 0.5f * x[2], far_odd = x[3] - 0.5f * x[1];
    p[0] = x[0] + x[4] - 2.5f * x[2];
    p[1] = near + kA * near_odd;
    p[2] = near - kA * near_odd;
    p[3] = far + kB * far_odd;
    p[4] = far - kB * far_odd;
    p[5] = x[1] + x[5] - 2.5f * x[3];
  }
  template <typename V>
  static ADA_LANES void points_adjoint(const V* p, V* x) {  // B
    const V near = p[1] + p[2], near_odd = kA * (p[1] - p[2]);
    const V far = p[3] + p[4], far_odd = kB * (p[3] - p[4]);
    x[0] = p[0];
    x[1] = p[5] - 2 * near_odd - 0.5f * far_odd;
    x[2] = -2.5f * p[0] - 2 * near - 0.5f * far;
    x[3] = near_odd + far_odd - 2.5f * p[5];
    x[4] = p[0] + near + far;
    x[5] = p[5];
  }
  template <typename V>
  static ADA_LANES void outputs(const V* p, V* y) {  // A'
    const V near = p[1] + p[2], near_odd = kA * (p[1] - p[2]);
    const V far = p[3] + p[4], far_odd = kB * (p[3] - p[4]);
    y[0] = p[0] + near + far;
    y[1] = near_odd + far_odd;
    y[2] = 0.5f * near + 2 * far;
    y[3] = 0.5f * near_odd + 2 * far_odd + p[5];
  }
  template <typename V>
  static ADA_LANES void outputs_adjoint(const V* y, V* p) {  // A
    const V near = y[0] + 0.5f * y[2], near_odd = y[1] + 0.5f * y[3];
    const V far = y[0] + 2 * y[2], far_odd = y[1] + 2 * y[3];
    p[0] = y[0];
    p[1] = near + kA * near_odd;
    p[2] = near - kA * near_odd;
    p[3] = far + kB * far_odd;
    p[4] = far - kB * far_odd;
    p[5] = y[3];
  }
  // G.
  static constexpr double kWeights[kPoints][3] = {{1, 0, 0},
                                                  {-1. / 1.5, -0.70710678118654752440 / 1.5, -0.5 / 1.5},
                                                  {-1. / 1.5, 0.70710678118654752440 / 1.5, -0.5 / 1.5},
                                                  {1. / 6, 1.41421356237309504880 / 6, 2. / 6},
                                                  {1. / 6, -1.41421356237309504880 / 6, 2. / 6},
                                                  {0, 0, 1}};
};

struct Stride2 {
  static constexpr int kSamples = 9, kPoints = 9, kStep = 8;

  static constexpr float kP = 0.75f, kQ = 1.5f, kPP = kP * kP, kQQ = kQ * kQ;

  template <typename V>
  static ADA_LANES void points(const V* x, V* p) {
    const V &x0 = x[0], &x1 = x[2], &x2 = x[4], &x3 = x[6], &x4 = x[8];
    const V even = x3 - kQ * x2, odd = x2 - kQ * x1, inner = x3 - kPP * x1;
    p[0] = even - kPP * (x1 - kQ * x0);
    p[1] = even + kP * odd;
    p[2] = even - kP * odd;
    p[3] = inner;
    p[4] = x4 - kPP * x2 - kQ * inner;
    for (int i = 0; i < kOutputs; ++i) p[5 + i] = x[2 * i + 1];
  }
  template <typename V>
  static ADA_LANES void points_adjoint(const V* p, V* x) {
    const V even = p[0] + p[1] + p[2], odd = kP * (p[1] - p[2]), inner = p[3] - kQ * p[4];
    x[0] = kPP * kQ * p[0];
    x[2] = -kPP * p[0] - kQ * odd - kPP * inner;
    x[4] = odd - kQ * even - kPP * p[4];
    x[6] = even + inner;
    x[8] = p[4];
    for (int i = 0; i < kOutputs; ++i) x[2 * i + 1] = p[5 + i];
  }
  template <typename V>
  static ADA_LANES void outputs(const V* p, V* y) {
    const V even = p[1] + p[2], odd = kP * (p[1] - p[2]);
    y[0] = p[0] + even + p[3] + p[5];
    y[1] = odd + kQ * p[3] + p[6];
    y[2] = kPP * even + kQQ * p[3] + p[7];
    y[3] = kPP * odd + kQ * kQQ * p[3] + p[4] + p[8];
  }
  template <typename V>
  static ADA_LANES void outputs_adjoint(const V* y, V* p) {
    const V even = y[0] + kPP * y[2], odd = y[1] + kPP * y[3];
    p[0] = y[0];
    p[1] = even + kP * odd;
    p[2] = even - kP * odd;
    p[3] = y[0] + kQ * y[1] + kQQ * (y[2] + kQ * y[3]);
    p[4] = y[3];
    for (int i = 0; i < kOutputs; ++i) p[5 + i] = y[i];
  }
  static constexpr double kWeights[kPoints][3] = {{1 / (0.5625 * 1.5), 0, 0},
                                                  {1 / (1.125 * -0.75), 0, 0.75 / (1.125 * -0.75)},
                                                  {1 / (1.125 * -2.25), 0, -0.75 / (1.125 * -2.25)},
                                                  {1 / (1.5 * (2.25 - 0.5625)), 0, 1.5 / (1.5 * (2.25 - 0.5625))},
                                                  {0, 0, 1},
                                                  {0, 1, 0},
                                                  {0, 1, 0},
                                                  {0, 1, 0},
                                                  {0, 1, 0}};
};

}  // namespace adasample::pass
