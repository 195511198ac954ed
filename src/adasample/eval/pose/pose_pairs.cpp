// SPDX-License-Identifier: Apache-2.0
#include "adasample/eval/pose/pose_pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "adasample/base/error.h"
#include "adasample/base/interrupt.h"
#include "adasample/base/progress.h"
#include "adasample/base/text.h"
#include "adasample/features/match/mutual_matches.h"
#include "adasample/image/files/images.h"

namespace adasample {
namespace {

constexpr double kNoPose = 180;
constexpr std::array kLimits = {5.0, 10.0, 20.0};

CameraIntrinsics camera_from(const std::vector<double>& k) { return {k[0], k[4], k[2], k[5], {}}; }

// Described when first asked for; some dozens stay.
class Pictures {
 public:
  Pictures(const std::filesystem::path& folder, Descriptor& descriptor, const PictureOptions& options)
      : folder_(folder), descriptor_(descriptor), options_(options) {}

  const DescribedPicture& get(const std::string& name) {
    if (const auto known = pictures_.find(name); known != pictures_.end()) return known->second;
    if (pictures_.size() >= kMost) pictures_.clear();
    return pictures_.emplace(name, describe_picture(folder_ / name, descriptor_, options_)).first->second;
  }

 private:
  static constexpr size_t kMost = 64;
  const std::filesystem::path& folder_;
  Descriptor& descriptor_;
  const PictureOptions& options_;
  std::map<std::string, DescribedPicture> pictures_;
};

}  // namespace

std::vector<PosePair> parse_pose_pairs(std::string_view text, const std::string& file) {
  std::vector<PosePair> pairs;
  TextReader reader(text, "pose", file);
  while (reader.next()) {
    if (reader.line().empty()) continue;
    const size_t words = reader.fields().size();
    const bool scannet = words == 38;
    if (!scannet && words != 32)
      reader.fail("38 or 32 words: two names, intrinsics and a pose", fmt::format("{} words", words));
    PosePair pair;
    pair.first = reader.fields()[0];
    pair.second = reader.fields()[1];
    size_t at = 2;
    const auto numbers = [&](size_t count, std::string_view what) {
      std::vector<double> values;
      for (size_t i = 0; i < count; ++i) values.push_back(reader.number<double>(at++, what));
      return values;
    };
    if (scannet) {
      for (const double turns : numbers(2, "a number of quarter turns")) {
        if (turns != 0) reader.fail("a picture that is not turned", fmt::format("{} quarter turns", turns));
      }
    }
    pair.first_camera = camera_from(numbers(9, "a number of K"));
    pair.second_camera = camera_from(numbers(9, "a number of K"));
    for (const CameraIntrinsics& camera : {pair.first_camera, pair.second_camera}) {
      if (!(camera.fx > 0 && camera.fy > 0)) reader.fail("positive focal lengths", fmt::format("{}", camera.fx));
    }
    const std::vector<double> pose = numbers(scannet ? 16 : 12, "a number of the pose");
    for (size_t i = 0; i < 3; ++i) {
      for (size_t j = 0; j < 3; ++j) pair.rotation[3 * i + j] = pose[scannet ? 4 * i + j : 3 * i + j];
      pair.translation[i] = pose[scannet ? 4 * i + 3 : 9 + i];
    }
    pairs.push_back(pair);
  }
  return pairs;
}

std::vector<PosePair> pose_pairs_of(const std::vector<TrueCamera>& cameras, const std::filesystem::path& images) {
  std::vector<CameraIntrinsics> intrinsics;
  for (const TrueCamera& camera : cameras) {
    const GrayImage picture = read_image(images / camera.name);
    intrinsics.push_back(camera.intrinsics_at(picture.width, picture.height));
  }
  std::vector<PosePair> pairs;
  for (size_t i = 0; i < cameras.size(); ++i) {
    for (size_t j = i + 1; j < cameras.size(); ++j) {
      const TrueCamera &a = cameras[i], &b = cameras[j];
      const Vector3 step = {a.centre[0] - b.centre[0], a.centre[1] - b.centre[1], a.centre[2] - b.centre[2]};
      pairs.push_back({a.name, b.name, intrinsics[i], intrinsics[j], product(b.rotation, transposed(a.rotation)),
                       product(b.rotation, step)});
    }
  }
  return pairs;
}

void PoseOptions::validate() const {
  pictures.validate();
  limits.validate();
  GeometryOptions{.threshold = threshold}.validate();
}

double area_under_curve(std::vector<double> errors, double limit) {
  if (errors.empty()) return 0;
  std::sort(errors.begin(), errors.end());
  double area = 0, at = 0, share = 0;
  for (size_t i = 0; i < errors.size() && errors[i] < limit; ++i) {
    const double next = static_cast<double>(i + 1) / static_cast<double>(errors.size());
    area += (errors[i] - at) * (share + next) / 2;
    at = errors[i];
    share = next;
  }
  return (area + (limit - at) * share) / limit;
}

double pose_error(const PosePair& truth, const Matrix3& rotation, const Vector3& translation) {
  const double turned = angle_of(product(rotation, transposed(truth.rotation)));
  const double moved = angle_between(translation, truth.translation);
  return std::max(turned, std::min(moved, 180 - moved));
}

nlohmann::ordered_json evaluate_poses(const std::vector<PosePair>& pairs, const std::filesystem::path& images,
                                      Descriptor& descriptor, const PoseOptions& options) {
  options.validate();
  ADA_CHECK(!pairs.empty(), "[pose] expected pairs of pictures, found none");
  Pictures pictures(images, descriptor, options.pictures);
  Progress progress("estimating", "poses", std::ssize(pairs));
  std::vector<double> errors;
  int64_t matched = 0, inliers = 0, without = 0;
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const PosePair& pair : pairs) {
    if (stop_requested()) ADA_THROW_KIND(kInterrupted, "[pose] interrupted");
    const DescribedPicture first = pictures.get(pair.first);  // a copy: the next one may push it out
    const DescribedPicture& second = pictures.get(pair.second);
    std::vector<Point2> from, to;
    for (const RatedMatch& rated : rated_matches(first.descriptors, second.descriptors, first.dimension)) {
      if (!options.limits.keep(rated)) continue;
      const Keypoint& k = first.keypoints[static_cast<size_t>(rated.match.first)];
      const Keypoint& l = second.keypoints[static_cast<size_t>(rated.match.second)];
      from.push_back({k.x, k.y});
      to.push_back({l.x, l.y});
    }
    const auto pose = estimate_pose(from, to, pair.first_camera, pair.second_camera, options.threshold);
    const double error = pose ? pose_error(pair, pose->rotation, pose->translation) : kNoPose;
    const int64_t agree = pose ? std::count(pose->inliers.begin(), pose->inliers.end(), true) : 0;
    errors.push_back(error);
    matched += std::ssize(from);
    inliers += agree;
    without += pose ? 0 : 1;
    list.push_back({{"first", pair.first},
                    {"second", pair.second},
                    {"error", error},
                    {"matches", from.size()},
                    {"inliers", agree}});
    progress.add(1);
  }
  nlohmann::ordered_json areas;
  for (const double limit : kLimits) areas[fmt::format("{}", limit)] = area_under_curve(errors, limit);
  std::vector<double> sorted = errors;
  std::sort(sorted.begin(), sorted.end());
  const auto count = static_cast<double>(pairs.size());
  return {{"protocol", "pose"},
          {"pairs", pairs.size()},
          {"without_pose", without},
          {"auc", areas},
          {"median_error", sorted[sorted.size() / 2]},
          {"matches_per_pair", static_cast<double>(matched) / count},
          {"inliers_per_pair", static_cast<double>(inliers) / count},
          {"results", list}};
}

std::string poses_table(const nlohmann::ordered_json& object) {
  std::string text = fmt::format("{} pairs, {} without a pose\n", object["pairs"].get<int64_t>(),
                                 object["without_pose"].get<int64_t>());
  for (const auto& [limit, area] : object["auc"].items()) {
    text += fmt::format("AUC at {:>2} degrees {:6.2f} %\n", limit, 100 * area.get<double>());
  }
  return text + fmt::format("median error {:.2f} degrees, {:.0f} matches and {:.0f} inliers per pair",
                            object["median_error"].get<double>(), object["matches_per_pair"].get<double>(),
                            object["inliers_per_pair"].get<double>());
}

}  // namespace adasample
