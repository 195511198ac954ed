// SPDX-License-Identifier: Apache-2.0
#include "adasample/integrate/opencv_feature2d.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <opencv2/imgproc.hpp>
#include <vector>

#include "adasample/base/bytes/sha256.h"
#include "adasample/base/conventions.h"
#include "adasample/base/error.h"
#include "adasample/base/parallel.h"
#include "adasample/engine/open_model.h"
#include "adasample/features/describe/picture_features.h"
#include "adasample/features/opencv/detector_rules.h"
#include "adasample/features/opencv/opencv_keypoint.h"
#include "adasample/image/files/opencv/mat_image.h"
#include "adasample/integrate/opencv/detector_feature2d.h"

namespace adasample {
namespace {

constexpr double kSmallestRegion = 0.1, kLargestRegion = 100, kLargestShift = 10;

// One channel of 8 or 16 bits.
cv::Mat to_grey(const cv::Mat& picture) {
  ADA_USAGE(picture.dims <= 2 && (picture.depth() == CV_8U || picture.depth() == CV_16U),
            "[opencv] expected a picture of 8 or 16 bits, found {}", cv::typeToString(picture.type()));
  const int channels = picture.channels();
  ADA_USAGE(channels == 1 || channels == 3 || channels == 4, "[opencv] expected 1, 3 or 4 channels, found {}",
            channels);
  if (channels == 1) return picture;
  cv::Mat grey;
  cv::cvtColor(picture, grey, channels == 3 ? cv::COLOR_BGR2GRAY : cv::COLOR_BGRA2GRAY);
  return grey;
}

cv::Mat to_eight_bits(const cv::Mat& grey) {
  if (grey.depth() == CV_8U) return grey;
  cv::Mat bytes;
  grey.convertTo(bytes, CV_8U, 1 / 257.0);
  return bytes;
}

bool is_describable(const cv::KeyPoint& k, cv::Size picture) {
  const auto within = [](float value, int extent) { return value >= -1 && value <= static_cast<float>(extent); };
  return within(k.pt.x, picture.width) && within(k.pt.y, picture.height) && k.size > 0 &&
         k.size <= static_cast<float>(std::max(picture.width, picture.height)) && std::isfinite(k.angle);
}

// Ours give sigmas: SIFT's region, and no shift.
Region region_of(const std::string& detector) {
  return detector.starts_with(kDetectorPrefix) ? Region(Region::sift.side) : region_of_detector(detector);
}

std::string text_at(const cv::FileNode& node, const char* key) {
  ADA_CHECK(node[key].isString(), "[opencv] expected a text '{}' among the stored settings, found none", key);
  return node[key].string();
}

double number_at(const cv::FileNode& node, const char* key) {
  ADA_CHECK(node[key].isInt() || node[key].isReal(), "[opencv] expected a number '{}' among the stored settings", key);
  return node[key].real();
}

class EngineFeature2D final : public Descriptor2D {
 public:
  EngineFeature2D(const std::string& weights, const cv::Ptr<cv::Feature2D>& detector,
                  const Descriptor2DOptions& options)
      : state_(weights, detector, options) {}

  void detectAndCompute(cv::InputArray image, cv::InputArray mask, std::vector<cv::KeyPoint>& keypoints,
                        cv::OutputArray descriptors, bool useProvidedKeypoints) override {
    if (image.empty()) {
      keypoints.clear();
      if (descriptors.needed()) descriptors.release();
      return;
    }
    const cv::Mat grey = to_grey(image.getMat());
    if (!useProvidedKeypoints) state_.detector->detect(to_eight_bits(grey), keypoints, mask);
    if (!descriptors.needed()) return;
    std::erase_if(keypoints, [&](const cv::KeyPoint& k) { return !is_describable(k, grey.size()); });
    const int count = static_cast<int>(keypoints.size());
    if (count == 0) return descriptors.release();
    std::vector<float> rows = describe(grey, keypoints);
    cv::Mat(count, kDescriptorSize, CV_32F, rows.data()).copyTo(descriptors);
  }

  Region region() const override { return state_.region; }
  int descriptorSize() const override { return kDescriptorSize; }
  int descriptorType() const override { return CV_32F; }
  int defaultNorm() const override { return cv::NORM_L2; }
  bool empty() const override { return false; }
  cv::String getDefaultName() const override { return Feature2D::getDefaultName() + ".Adasample"; }

  void write(cv::FileStorage& file) const override {
    file << "weights" << state_.weights << "weights_sha256" << state_.sha256 << "engine" << state_.options.engine;
    file << "region_side" << state_.region.side << "region_shift" << state_.region.shift;
    file << "upright" << static_cast<int>(state_.options.upright);
    file << "detector" << state_.detector->getDefaultName() << "detector_settings"
         << "{";
    state_.detector->write(file);
    file << "}";
  }

  void read(const cv::FileNode& node) override {
    Descriptor2DOptions options{.region = {number_at(node, "region_side"), number_at(node, "region_shift")},
                                .upright = number_at(node, "upright") != 0,
                                .engine = text_at(node, "engine"),
                                .threads = state_.options.threads};
    const std::string weights = text_at(node, "weights"), sha256 = text_at(node, "weights_sha256");
    State read(weights, detector_named(text_at(node, "detector")), options);
    ADA_CHECK(read.sha256 == sha256, "[opencv] {}: expected the weights with sha256 {}, found {}", weights, sha256,
              read.sha256);
    const cv::FileNode settings = node["detector_settings"];
    if (settings.isMap() && settings.size() > 0) read.detector->read(settings);
    state_ = std::move(read);
  }

 private:
  struct State {
    State(const std::string& weights_, const cv::Ptr<cv::Feature2D>& detector_, const Descriptor2DOptions& options_)
        : weights(weights_),
          detector(detector_                   ? detector_
                   : options_.detector.empty() ? make_opencv_detector("Feature2D.SIFT")
                                               : make_detector_feature2d(options_.detector)),
          options(options_) {
      options.validate();
      region = options.region == Region::by_detector ? region_of(detector->getDefaultName()) : options.region;
      OpenedModel opened = open_model(weights, {.engine = options.engine.empty() ? "auto" : options.engine,
                                                .device = options.engine.empty() ? "cpu" : "auto",
                                                .threads = options.threads});
      ADA_USAGE(opened.descriptor->dimension() == kDescriptorSize,
                "[opencv] {}: expected descriptors of {} numbers, found {}", weights, kDescriptorSize,
                opened.descriptor->dimension());
      ADA_USAGE(options.engine.empty() || opened.engine == options.engine, "Descriptor2DOptions::engine: {}",
                fmt::join(opened.warnings, "; "));
      sha256 = opened.file.empty() ? "" : sha256_of_file(opened.file);
      engine = std::move(opened.descriptor);
    }

    std::string weights, sha256;  // the weights as given, the file's content
    cv::Ptr<cv::Feature2D> detector;
    Descriptor2DOptions options;
    Region region;
    std::unique_ptr<Descriptor> engine;
  };

  // This one's own, where it goes by that name: it may be one that cannot be made by its name.
  cv::Ptr<cv::Feature2D> detector_named(const std::string& name) const {
    if (name == state_.detector->getDefaultName()) return state_.detector;
    if (name.starts_with(kDetectorPrefix)) return make_detector_feature2d(name.substr(std::strlen(kDetectorPrefix)));
    return make_opencv_detector(name);
  }

  std::vector<float> describe(const cv::Mat& grey, const std::vector<cv::KeyPoint>& keypoints) const {
    std::vector<Keypoint> ours;
    for (const cv::KeyPoint& k : keypoints) {
      ours.push_back(from_opencv(k, state_.region.shift));
      if (state_.options.upright) ours.back().angle = 0;
    }
    // Both factors span the same square: half of it in sigmas, all of it in diameters of two sigmas.
    const FeatureOptions features = {.region_factor = state_.region.side};
    Progress unseen;
    double seconds = 0;
    return describe_keypoints(ScalePyramid(to_gray_image(grey)), ours, *state_.engine, features, unseen, seconds);
  }

  State state_;
};

}  // namespace

void Descriptor2DOptions::validate() const {
  ADA_USAGE(region == Region::by_detector || (region.side >= kSmallestRegion && region.side <= kLargestRegion),
            "Descriptor2DOptions::region.side = {}, must be 0 or {} to {}", region.side, kSmallestRegion,
            kLargestRegion);
  ADA_USAGE(std::abs(region.shift) <= kLargestShift, "Descriptor2DOptions::region.shift = {}, must be -{} to {}",
            region.shift, kLargestShift, kLargestShift);
  ADA_USAGE(threads >= 0 && threads <= kMostThreads, "Descriptor2DOptions::threads = {}, must be 0 to {}", threads,
            kMostThreads);
}

cv::Ptr<Descriptor2D> Descriptor2D::create(const std::string& weights, const cv::Ptr<cv::Feature2D>& detector,
                                           const Descriptor2DOptions& options) {
  return cv::makePtr<EngineFeature2D>(weights, detector, options);
}

}  // namespace adasample
