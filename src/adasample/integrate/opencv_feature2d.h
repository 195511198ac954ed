// SPDX-License-Identifier: Apache-2.0
// adasample as a cv::Feature2D: put it where cv::SIFT stands. The only header of ours with OpenCV's types.
#pragma once

#include <opencv2/features2d.hpp>
#include <string>

namespace adasample {

// OpenCV's SIFT detects in the doubled picture and forgets that doubling moves it by half a pixel of the doubled one:
// its keypoints come out this much too far right and down, in pixels (tested). SIFT's own descriptor looks where they
// were found, and so do we; the keypoints themselves stay as the detector gave them.
inline constexpr double kSiftShift = 0.25;

// The square around a keypoint that is described. Every detector means something else by KeyPoint::size, a diameter:
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

struct Descriptor2DOptions {
  Region region = Region::by_detector;
  bool upright = false;     // as if every angle were 0; an angle of -1, OpenCV's "none", is 0 anyway
  std::string engine = "";  // of engine_names(); empty: the fastest one in fp32 on a CPU
  int threads = 0;          // of the network; 0: one a core

  void validate() const;
};

// Descriptors are CV_32F (n, 128), rows of norm 1, to be compared by NORM_L2. Pictures have 8 or 16 bits and 1, 3 (BGR)
// or 4 channels; the detector sees them in grey with 8 bits. Beyond the border a region is mirrored. compute() removes
// keypoints that show nothing: without a size, larger than the picture, outside it, or not numbers. Several threads may
// share one; whether they may detect is up to the detector (OpenCV's own: yes). What goes wrong here is an Error
// (base/exception.h), what goes wrong in OpenCV a cv::Exception.
class Descriptor2D : public cv::Feature2D {
 public:
  // `weights`: a weights file, a run folder, or "default". No detector: cv::SIFT.
  static cv::Ptr<Descriptor2D> create(const std::string& weights = "default",
                                      const cv::Ptr<cv::Feature2D>& detector = {},
                                      const Descriptor2DOptions& options = {});

  virtual Region region() const = 0;  // what by_detector has become

  // write() and read(), by a file's name or as a node: the weights by name and sha256, the options but for `threads`,
  // the detector by its name and what it writes of itself. SIFT and ORB of OpenCV 4.6 write nothing: read into one that
  // has them and they stay as they are, else they are made with OpenCV's defaults. read() throws Error when the weights
  // are not those that were written.
  using cv::Feature2D::read;
  using cv::Feature2D::write;
};

}  // namespace adasample
