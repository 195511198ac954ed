// SPDX-License-Identifier: Apache-2.0
#include "adasample/integrate/describe_pictures.h"

#include <algorithm>

#include "adasample/base/error.h"
#include "adasample/base/interrupt.h"
#include "adasample/eval/descriptors/storage_loss.h"
#include "adasample/features/describe/picture_stream.h"
#include "adasample/features/opencv_part.h"
#include "adasample/image/files/images.h"
#include "adasample/integrate/feature_writer.h"
#include "adasample/integrate/given_keypoints.h"

namespace adasample {
namespace {

constexpr double kLargestGivenSigma = 1000;  // pixels

// Path below the folder of pictures -> file. A file alone is named by its name.
std::vector<std::pair<std::string, std::filesystem::path>> pictures_to_describe(const std::filesystem::path& images) {
  if (!std::filesystem::is_directory(images)) return {{images.filename().string(), images}};
  std::vector<std::pair<std::string, std::filesystem::path>> pictures;
  for (const std::string& name : picture_names(images)) pictures.emplace_back(name, images / name);
  std::sort(pictures.begin(), pictures.end());  // as text, like the lines of a keypoint list
  return pictures;
}

// Pixels of hloc's and COLMAP's files are those stored, whatever EXIF says; ours are those of the picture upright.
bool stored_pixels(const std::filesystem::path& file) {
  return file.extension() == ".h5" || file.extension() == ".txt";
}

// What a list of ours says of a picture that EXIF turns is no place in pixels as stored.
void require_not_turned(const std::filesystem::path& file, const std::string& list, const std::string& out) {
  ADA_CHECK(
      !is_turned(file),
      "[describe] {}: EXIF turns it: {} has places in the turned picture, {} as it is stored - write .npy or .csv",
      file.string(), list, out);
}

// The keypoints that were given for a picture, with what they lack.
std::vector<Keypoint> completed(const GivenKeypoints& given, const PictureFile& picture, const std::string& name,
                                const PicturesArguments& a) {
  std::vector<Keypoint> keypoints = given.keypoints;
  if (!given.scaled && !keypoints.empty()) {
    ADA_CHECK(a.sigma > 0, "[describe] {}: {}: the keypoints have no scale - give --sigma", a.keypoints, name);
    for (Keypoint& k : keypoints) k.sigma = a.sigma;
  }
  if (a.options.features.upright) {
    for (Keypoint& k : keypoints) k.angle = 0;
  } else if (!given.oriented) {
    keypoints = picture.orient(keypoints);
  }
  return keypoints;
}

}  // namespace

void PicturesArguments::validate() const {
  options.validate();
  ADA_USAGE(sigma >= 0 && sigma <= kLargestGivenSigma, "--sigma {}: must be 0 to {}", sigma, kLargestGivenSigma);
  if (keypoints.empty()) return;
  ADA_USAGE(!holds_one_picture(keypoints) || !std::filesystem::is_directory(images),
            "--keypoints {}: holds the keypoints of one picture, and --images {} is a folder", keypoints, images);
}

DescribedPictures describe_pictures(const PicturesArguments& a, Descriptor& descriptor, const std::string& out,
                                    NumberType type) {
  const auto pictures = pictures_to_describe(a.images);
  for (const auto& [name, file] : pictures) prepare_opencv_for(file.parent_path(), {file.filename().string()});
  const KeypointReader given = a.keypoints.empty() ? nullptr : open_keypoints(a.keypoints);
  const auto writer = make_feature_writer(out, descriptor.dimension(), type);
  LossMeter loss(type, descriptor.dimension());
  DescribedPictures result;
  PictureOptions options = a.options;
  options.as_stored = stored_pixels(out) || stored_pixels(a.keypoints);
  const bool mixed = options.as_stored && given && !stored_pixels(a.keypoints);
  const auto keypoints_of = [&](const std::string& name, const PictureFile& picture) {
    if (!given) return picture.detect();
    return completed(given(name), picture, name, a);
  };
  const auto stop_if_asked = [] {
    if (stop_requested()) ADA_THROW_KIND(kInterrupted, "[describe] interrupted; nothing was written");
  };
  Progress progress("describing", "pictures", std::ssize(pictures)), patches;
  PictureStream stream;
  stream.count = std::ssize(pictures);
  stream.size = options.features.size;
  stream.between = stop_if_asked;
  stream.cut = [&](int64_t i) {
    const auto& [name, file] = pictures[static_cast<size_t>(i)];
    stop_if_asked();
    if (mixed) require_not_turned(file, a.keypoints, out);
    const PictureFile picture(file, options);
    CutPicture cut{picture.width(), picture.height(), keypoints_of(name, picture), {}};
    cut.patches = picture.cut(cut.keypoints);
    return cut;
  };
  stream.described = [&](int64_t i, CutPicture& picture, std::vector<float>& descriptors) {
    const std::string& name = pictures[static_cast<size_t>(i)].first;
    if (type == NumberType::kUint8) {
      require_unit_rows(descriptors, descriptor.dimension(), descriptor.name(), "--type uint8");
    }
    const PictureFeatures features{.name = name,
                                   .width = picture.width,
                                   .height = picture.height,
                                   .keypoints = std::move(picture.keypoints),
                                   .descriptors = std::move(descriptors)};
    writer->add(features);
    if (type != NumberType::kFloat32) loss.add(features.descriptors);
    ++result.pictures;
    result.keypoints += std::ssize(features.keypoints);
    if (features.keypoints.empty()) result.empty.push_back(name);
    progress.add(1);
  };
  describe_stream(stream, descriptor, patches, result.seconds);
  ADA_CHECK(result.keypoints > 0, "[describe] {}: no keypoint in {} pictures{}", a.images, pictures.size(),
            a.keypoints.empty() ? "" : " - does " + a.keypoints + " name them as they lie below the folder?");
  writer->finish();
  result.loss = loss.result();
  return result;
}

}  // namespace adasample
