// SPDX-License-Identifier: Apache-2.0
// adasample as a cv::Feature2D: put it where cv::SIFT stands. The only public header with OpenCV's types.
#pragma once

#include <opencv2/features2d.hpp>
#include <string>

#include "adasample/features/region.h"

namespace adasample {

struct Descriptor2DOptions {
  Region region = Region::by_detector;
  // Where create() gets no detector: one of keypoint_detector_names() (features/feature_options.h); empty: cv::SIFT.
  std::string detector = "";
  bool upright = false;     // as if every angle were 0; an angle of -1, OpenCV's "none", is 0 anyway
  std::string engine = "";  // of engine_choices(); empty: the fastest one in fp32 on a CPU
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
  // `weights`: a weights file, a run folder, or "default". No detector: the one that the options name.
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
