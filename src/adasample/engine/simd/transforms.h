// SPDX-License-Identifier: Apache-2.0
// Winograd's short convolutions: a row of four results of three taps, from values taken at a few points.
//   y = output (kernel w * input x), with * taken number by number; in two dimensions on rows, then on columns.
// Stride 1 reads six numbers and multiplies six times instead of twelve: F(4, 3) at 0, 1, -1, 2, -2 and infinity.
// Stride 2 reads nine and multiplies nine times: the even ones are a convolution of two taps, F(4, 2) at 0, 1, -1, 2
// and infinity; the odd ones meet the middle tap as they are. In two dimensions 36 and 81 products instead of 144.
#pragma once

namespace adasample::simd {

inline constexpr int kTile = 4;  // results in a row of a tile

struct Transform {
  int stride, points;
  int step;             // numbers read from one tile to the next
  double input[9][9];   // (points, points), integers
  double kernel[9][3];  // (points, 3)
  double output[4][9];  // (4, points), integers
};

inline constexpr Transform kStride1 = {
    1,
    6,
    4,
    {{4, 0, -5, 0, 1, 0},
     {0, -4, -4, 1, 1, 0},
     {0, 4, -4, -1, 1, 0},
     {0, -2, -1, 2, 1, 0},
     {0, 2, -1, -2, 1, 0},
     {0, 4, 0, -5, 0, 1}},
    {{1. / 4, 0, 0},
     {-1. / 6, -1. / 6, -1. / 6},
     {-1. / 6, 1. / 6, -1. / 6},
     {1. / 24, 1. / 12, 1. / 6},
     {1. / 24, -1. / 12, 1. / 6},
     {0, 0, 1}},
    {{1, 1, 1, 1, 1, 0}, {0, 1, -1, 2, -2, 0}, {0, 1, 1, 4, 4, 0}, {0, 1, -1, 8, -8, 1}}};

inline constexpr Transform kStride2 = {2,
                                       9,
                                       8,
                                       {{2, 0, -1, 0, -2, 0, 1, 0, 0},
                                        {0, 0, -2, 0, -1, 0, 1, 0, 0},
                                        {0, 0, 2, 0, -3, 0, 1, 0, 0},
                                        {0, 0, -1, 0, 0, 0, 1, 0, 0},
                                        {0, 0, 2, 0, -1, 0, -2, 0, 1},
                                        {0, 1, 0, 0, 0, 0, 0, 0, 0},
                                        {0, 0, 0, 1, 0, 0, 0, 0, 0},
                                        {0, 0, 0, 0, 0, 1, 0, 0, 0},
                                        {0, 0, 0, 0, 0, 0, 0, 1, 0}},
                                       {{1. / 2, 0, 0},
                                        {-1. / 2, 0, -1. / 2},
                                        {-1. / 6, 0, 1. / 6},
                                        {1. / 6, 0, 1. / 3},
                                        {0, 0, 1},
                                        {0, 1, 0},
                                        {0, 1, 0},
                                        {0, 1, 0},
                                        {0, 1, 0}},
                                       {{1, 1, 1, 1, 0, 1, 0, 0, 0},
                                        {0, 1, -1, 2, 0, 0, 1, 0, 0},
                                        {0, 1, 1, 4, 0, 0, 0, 1, 0},
                                        {0, 1, -1, 8, 1, 0, 0, 0, 1}}};

inline constexpr const Transform& transform_of(int stride) { return stride == 1 ? kStride1 : kStride2; }

}  // namespace adasample::simd
