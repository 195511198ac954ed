// SPDX-License-Identifier: Apache-2.0
#include "adasample/features/describe/picture_file.h"

#include "adasample/base/parallel.h"
#include "adasample/features/detect/keypoint_detector.h"
#include "adasample/features/detect/orientation.h"
#include "adasample/features/keypoint_list.h"
#include "adasample/image/files/images.h"

namespace adasample {

PictureFile::PictureFile(const std::filesystem::path& file, const PictureOptions& options)
    : PictureFile(file.string(), read_image(file, options.as_stored ? PixelOrder::kAsStored : PixelOrder::kUpright),
                  options) {}

PictureFile::PictureFile(std::string name, GrayImage image, const PictureOptions& options)
    : PictureFile(std::move(name), image.width, image.height, reduce_to(std::move(image), options.max_side), options) {}

PictureFile::PictureFile(std::string name, int width, int height, ReducedImage reduced, const PictureOptions& options)
    : name_(std::move(name)),
      options_(options),
      width_(width),
      height_(height),
      reduction_(reduced.reduction),
      pyramid_(std::move(reduced.image)) {}

std::vector<Keypoint> PictureFile::detect() const {
  return to_file(make_keypoint_detector(options_.features)->detect(pyramid_));
}

std::vector<Keypoint> PictureFile::orient(const std::vector<Keypoint>& keypoints) const {
  const std::vector<Keypoint> placed = to_copy(keypoints);
  std::vector<Keypoint> turned = keypoints;
  parallel_for(std::ssize(turned), [&](int64_t i) {
    const auto at = static_cast<size_t>(i);
    turned[at].angle = dominant_orientation(pyramid_, placed[at]);
  });
  return turned;
}

std::vector<uint8_t> PictureFile::cut(const std::vector<Keypoint>& keypoints) const {
  return cut_keypoints(pyramid_, to_copy(keypoints), options_.features);
}

std::vector<float> PictureFile::describe(const std::vector<Keypoint>& keypoints, Descriptor& descriptor,
                                         Progress& progress, double& seconds) const {
  return describe_keypoints(pyramid_, to_copy(keypoints), descriptor, options_.features, progress, seconds);
}

DescribedPicture PictureFile::described(std::vector<Keypoint> keypoints, Descriptor& descriptor, Progress& progress,
                                        double& seconds) const {
  DescribedPicture picture{.width = width_,
                           .height = height_,
                           .keypoints = std::move(keypoints),
                           .dimension = descriptor.dimension(),
                           .descriptors = {}};
  picture.descriptors = describe(picture.keypoints, descriptor, progress, seconds);
  return picture;
}

DescribedPicture describe_picture(const std::filesystem::path& file, Descriptor& descriptor,
                                  const PictureOptions& options) {
  options.validate();
  const PictureFile picture(file, options);
  Progress unseen;
  double seconds = 0;
  return picture.described(picture.detect(), descriptor, unseen, seconds);
}

std::vector<Keypoint> PictureFile::to_file(std::vector<Keypoint> keypoints) const {
  for (Keypoint& k : keypoints) {
    k.x *= reduction_;
    k.y *= reduction_;
    k.sigma *= reduction_;
  }
  return keypoints;
}

std::vector<Keypoint> PictureFile::to_copy(const std::vector<Keypoint>& keypoints) const {
  return place_keypoints(keypoints, name_, image(), reduction_);
}

}  // namespace adasample
