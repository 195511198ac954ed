// SPDX-License-Identifier: Apache-2.0
// The square around a keypoint that is described, by detector. Free of OpenCV's types.
#pragma once

namespace adasample {

// OpenCV's SIFT detects in the doubled picture and forgets that doubling moves it by half a pixel of the doubled one:
// its keypoints come out this much too far right and down, in pixels (tested). SIFT's own descriptor looks where they
// were found, and so do we; the keypoints themselves stay as the detector gave them.
inline constexpr double kSiftShift = 0.25;

// Every detector means something else by KeyPoint::size, a diameter:
// SIFT 2 sigma, ORB the width of its own patch, FAST nothing.
struct Region {
  double side = 0;   // in diameters
  double shift = 0;  // of the detector's keypoints, in pixels right and down

  constexpr Region() = default;
  constexpr Region(double side_in_diameters, double shift_in_pixels = 0)  // also from a plain number
      : side(side_in_diameters), shift(shift_in_pixels) {}
  bool operator==(const Region&) const = default;

  static const Region by_detector;         // the one below that the detector's getDefaultName() names
  static const Region sift;                // 12 sigma, SIFT's 4 x 4 bins and what networks here are trained on
  static const Region surf, kaze;          // these as OpenCV's own learned descriptors have them (scale_factor of
  static const Region akaze, agast, fast;  //   cv::xfeatures2d::VGG)
  static const Region brisk, orb;          // narrower and wider than there: more right matches (docs/integrate.md)
};
inline constexpr Region Region::by_detector{0}, Region::sift{6, kSiftShift}, Region::surf{6.25}, Region::kaze{6.25},
    Region::akaze{5}, Region::agast{5}, Region::fast{5}, Region::brisk{2}, Region::orb{1};

}  // namespace adasample
