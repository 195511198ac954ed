// SPDX-License-Identifier: Apache-2.0
#include "adasample/image/homography.h"

#include <gtest/gtest.h>

#include <cmath>

#include "adasample/base/files/file_io.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

using testing::expect_error;

// A zoom with rotation and some perspective, as real sequences have them.
const char* const kText = "0.7022 0.4313 -127.9466\n-0.4275 0.6997 201.2619\n4.08e-04 1.5e-04 1\n";

Homography example() { return parse_homography(kText, "H"); }

void expect_near(Point2 a, Point2 b, double bound) {
  EXPECT_NEAR(a.x, b.x, bound);
  EXPECT_NEAR(a.y, b.y, bound);
}

TEST(Homography, MapsAsTheMatrixSays) {
  const double w = 4.08e-4 * 100 + 1.5e-4 * 50 + 1;
  expect_near(example()({100, 50}),
              {(0.7022 * 100 + 0.4313 * 50 - 127.9466) / w, (-0.4275 * 100 + 0.6997 * 50 + 201.2619) / w}, 1e-9);
  expect_near(Homography()({3, 4}), {3, 4}, 0);
  const Affine2 affine{1, 2, 3, 4, 5, 6};
  expect_near(Homography(affine)({7, 8}), affine({7, 8}), 1e-12);
}

TEST(Homography, AFactorChangesNothing) {
  const Homography scaled = parse_homography("-2 0 -10  0 -2 -20  0 0 -2", "H");
  expect_near(scaled({1, 1}), {6, 11}, 1e-12);
  const Homography huge = parse_homography("1e300 0 0  0 1e300 0  0 0 1e300", "H");
  expect_near(huge.inverse()({1, 2}), {1, 2}, 1e-12);
}

TEST(Homography, InverseAndProductFollowTheirNames) {
  const Homography target_from_ref = example();
  const Point2 p = {312, 77};
  expect_near(target_from_ref.inverse()(target_from_ref(p)), p, 1e-9);
  const Homography other(Affine2::rotation(0.3) * Affine2::translation(5, -9));
  expect_near((other * target_from_ref)(p), other(target_from_ref(p)), 1e-9);  // the right one first
}

TEST(Homography, LinearisedHasItsValueAndDerivatives) {
  const Homography h = example();
  const Point2 p = {250, 140};
  const Affine2 local = h.linearised_at(p);
  expect_near(local(p), h(p), 1e-9);
  const double e = 1e-3;  // central differences: error of the order of e^2 times the third derivative, below 1e-9
  const Point2 right = h({p.x + e, p.y}), left = h({p.x - e, p.y}), below = h({p.x, p.y + e}),
               above = h({p.x, p.y - e});
  EXPECT_NEAR(local.a, (right.x - left.x) / (2 * e), 1e-8);
  EXPECT_NEAR(local.c, (right.y - left.y) / (2 * e), 1e-8);
  EXPECT_NEAR(local.b, (below.x - above.x) / (2 * e), 1e-8);
  EXPECT_NEAR(local.d, (below.y - above.y) / (2 * e), 1e-8);
}

TEST(Homography, DepthChangesSignAcrossTheHorizon) {
  const Homography h = parse_homography("1 0 0  0 1 0  0.01 0 1", "H");  // horizon at x = -100
  EXPECT_GT(h.depth({-99, 5}) * h.depth({0, 0}), 0);
  EXPECT_LT(h.depth({-101, 5}) * h.depth({0, 0}), 0);
}

TEST(Homography, LinesMayEndAnywhere) {
  for (const char* text :
       {"1 0 5 0 1 6 0 0 1", "1\n0\n5\n0\n1\n6\n0\n0\n1\n", "1 0 5\r\n\r\n0 1 6\r\n0\t0 +1\r\n\r\n"}) {
    expect_near(parse_homography(text, "H")({1, 1}), {6, 7}, 1e-12);
  }
}

TEST(Homography, RefusesWhatIsNoHomography) {
  const auto refuses = [](const char* text, const char* where, const char* expected, const char* found) {
    expect_error([&] { parse_homography(text, "seq/H_1_2"); }, "[homography] seq/H_1_2", where, expected, found);
  };
  for (const char* nothing : {"", " \n\t\r\n"})
    refuses(nothing, "H_1_2: ", "expected nine numbers", "found an empty file");
  refuses("1 0 0\n0 1 0\n0 0\n", ":3:", "expected nine numbers", "found 8 - truncated?");
  refuses("1 0 0\n0 1 0\n0 0 1\n7\n", ":4:", "expected nine numbers", "found more");
  refuses("1 0 0\n0 one 0\n0 0 1\n", ":2:", "expected number 5 of 9", "'one'");
  refuses("1 0 0\n0 1 0\n0 0 nan\n", ":3:", "expected number 9 of 9", "'nan'");
  refuses("1 0 0\n0 1e999 0\n0 0 1\n", ":2:", "expected number 5 of 9", "'1e999'");
  refuses("1 2 3\n4 5 6\n7 8 9\n", ":3:", "expected a matrix with an inverse", "singular");
  refuses("0 0 0\n0 0 0\n0 0 0\n", ":3:", "expected a matrix with an inverse", "singular");
  refuses("1 0 1e5\n0 0 1e5\n0 0 1\n", ":3:", "expected a matrix with an inverse", "singular");
}

// Large offsets and strong zooms are no sign of a singular matrix.
TEST(Homography, UnevenScalesAreFine) {
  for (const char* text : {"1 0 1e6\n0 1 -1e6\n0 0 1", "1e-4 0 0\n0 1e-4 0\n0 0 1", "1e4 0 9\n0 1e4 9\n1e-7 0 1"}) {
    EXPECT_NO_THROW(parse_homography(text, "H")) << text;
  }
}

TEST(Homography, FilesAreNamed) {
  const testing::TempFolder folder;
  write_file_atomically(folder / "H_1_2", kText);
  expect_near(read_homography(folder / "H_1_2")({1, 2}), example()({1, 2}), 0);
  expect_error([&] { read_homography(folder / "H_1_3"); }, "H_1_3", "cannot be opened");
}

}  // namespace
}  // namespace adasample
