// SPDX-License-Identifier: Apache-2.0
#include "adasample/integrate/colmap/colmap_export.h"

#include <functional>
#include <map>
#include <mutex>
#include <set>

#include "adasample/base/bytes/sha256.h"
#include "adasample/base/conventions.h"
#include "adasample/base/error.h"
#include "adasample/base/interrupt.h"
#include "adasample/base/parallel.h"
#include "adasample/features/describe/picture_stream.h"
#include "adasample/features/opencv_part.h"
#include "adasample/image/files/images.h"
#include "adasample/integrate/colmap/colmap_camera.h"

namespace adasample {
namespace fs = std::filesystem;

namespace {

// Describes and writes, photograph by photograph; a few are in memory (features/describe/picture_stream.h).
class Export {
 public:
  // goes_on: a photograph that cannot be read is told and left out.
  Export(const fs::path& folder, ColmapWriter& writer, Descriptor& descriptor, const ColmapExportOptions& options,
         bool goes_on = false)
      : folder_(folder), writer_(writer), descriptor_(descriptor), options_(options), goes_on_(goes_on) {
    options.validate();
    ADA_USAGE(descriptor.dimension() == kDescriptorSize, "COLMAP takes descriptors of {} numbers, {} has {}",
              kDescriptorSize, descriptor.name(), descriptor.dimension());
  }

  PictureFile open(const std::string& name) const {
    stop_if_asked();
    return {folder_ / name, options_.pictures};
  }

  // The photographs with these names, as `cut` and `written` say, which gives their ids; who writes has the database
  // for itself.
  void run(const std::vector<std::string>& names, Progress& progress,
           const std::function<CutPicture(size_t i, const PictureFile& picture)>& cut,
           const std::function<int64_t(size_t i, const CutPicture& picture, std::span<const uint8_t> rows)>& written) {
    std::vector<std::string> complaints(names.size());
    files_.assign(names.size(), "");
    PictureStream stream;
    stream.count = std::ssize(names);
    stream.size = options_.pictures.features.size;
    stream.between = stop_if_asked;
    stream.cut = [&](int64_t i) {
      const auto at = static_cast<size_t>(i);
      const auto cut_one = [&] {
        files_[at] = sha256_of_file(folder_ / names[at]);
        return cut(at, open(names[at]));
      };
      if (!goes_on_) return cut_one();
      try {
        return cut_one();
      } catch (const Error& error) {
        if (error.kind() != Error::Kind::kWork) throw;
        complaints[at] = error.what();
        return CutPicture();
      }
    };
    stream.described = [&](int64_t i, CutPicture& picture, std::vector<float>& descriptors) {
      const auto at = static_cast<size_t>(i);
      if (!complaints[at].empty()) {
        report.complaints.push_back(complaints[at]);
        bad.insert(names[at]);
        return;
      }
      const auto rows = colmap_descriptors(descriptors, options_.encoding, descriptor_.name());
      const std::lock_guard lock(database);
      writer_.set_file(written(at, picture, rows), files_[at]);
      ++report.images;
      report.keypoints += std::ssize(picture.keypoints);
      if (picture.keypoints.empty()) report.empty.push_back(names[at]);
    };
    describe_stream(stream, descriptor_, progress, report.seconds_describing);
  }

  ColmapExportReport commit() {
    stop_if_asked();
    ADA_CHECK(report.keypoints > 0 || goes_on_, "[colmap] {}: no keypoint in {} images; nothing was written",
              folder_.string(), report.images);
    writer_.commit();
    return report;
  }

  // The camera of a photograph that the database does not have.
  int64_t camera_of(const std::string& name, const CutPicture& picture) {
    const FirstCamera first = first_camera(colmap_camera_model(options_.camera_model), picture.width, picture.height,
                                           read_exif(folder_ / name));
    const std::string key = options_.single_camera ? "all" : first.key;
    if (const auto known = cameras_.find(key); !key.empty() && known != cameras_.end()) {
      const auto& [id, camera] = known->second;
      ADA_CHECK(camera.width == picture.width && camera.height == picture.height,
                "[colmap] {}: {} x {} pixels, others have {} x {} - leave --single-camera out", name, picture.width,
                picture.height, camera.width, camera.height);
      return id;
    }
    const int64_t id = writer_.add_camera(first.camera, first.focal_known);
    if (!key.empty()) cameras_[key] = {id, first.camera};
    ++report.cameras;
    return id;
  }

  void check_size(const ColmapEntry& image, const PictureFile& picture) const {
    ADA_CHECK(image.width == picture.width() && image.height == picture.height(),
              "[colmap] {}: {} x {} pixels, its camera in the database has {} x {}", (folder_ / image.name).string(),
              picture.width(), picture.height(), image.width, image.height);
  }

  // Cameras that the database has of photographs with a known lens.
  void know(const ColmapEntry& image) {
    const FirstCamera first = first_camera(colmap_camera_model(options_.camera_model), static_cast<int>(image.width),
                                           static_cast<int>(image.height), read_exif(folder_ / image.name));
    const std::string key = options_.single_camera ? "all" : first.key;
    if (!key.empty()) cameras_.try_emplace(key, image.camera, first.camera);
  }

  ColmapExportReport report;
  std::set<std::string> bad;  // photographs that cannot be read
  std::mutex database;        // one call at a time

 private:
  static void stop_if_asked() {
    if (stop_requested()) ADA_THROW_KIND(kInterrupted, "[colmap] interrupted; the database is as it was");
  }

  const fs::path& folder_;
  ColmapWriter& writer_;
  Descriptor& descriptor_;
  const ColmapExportOptions& options_;
  const bool goes_on_;
  std::map<std::string, std::pair<int64_t, ColmapCamera>> cameras_;  // by key
  std::vector<std::string> files_;                                   // their hashes, while they are described
};

// Detects, describes and writes these photographs; those in `present` have an image and a camera already.
void describe_named(Export& work, const std::vector<std::string>& names,
                    const std::map<std::string, ColmapEntry>& present, ColmapWriter& writer,
                    const ColmapExportOptions& options) {
  const int most = options.pictures.features.max_keypoints;
  Progress progress("describing", "keypoints", std::ssize(names) * most);  // at most, or so
  const auto known = [&](size_t i) {
    const auto found = present.find(names[i]);
    return found == present.end() ? nullptr : &found->second;
  };
  work.run(
      names, progress,
      [&](size_t i, const PictureFile& picture) {
        CutPicture cut{picture.width(), picture.height(), picture.detect(), {}};
        if (known(i) != nullptr) work.check_size(*known(i), picture);
        cut.patches = picture.cut(cut.keypoints);
        return cut;
      },
      [&](size_t i, const CutPicture& picture, std::span<const uint8_t> rows) {
        const int64_t id =
            known(i) != nullptr ? known(i)->id : writer.add_image(names[i], work.camera_of(names[i], picture));
        writer.set_descriptors(id, rows, !options.say_not_sift);
        writer.set_keypoints(id, picture.keypoints);
        progress.add(most - std::ssize(picture.keypoints));
        return id;
      });
}

constexpr size_t kSavedAtOnce = 200;  // photographs

// What has become of photographs since they were described.
std::vector<std::string> changed_since(const fs::path& folder, const std::vector<std::string>& names,
                                       const std::map<std::string, ColmapEntry>& present) {
  const std::set<std::string> known(names.begin(), names.end());  // whatever else the database names is not opened
  std::vector<const ColmapEntry*> described;
  for (const auto& [name, image] : present) {
    if (image.described) described.push_back(&image);
  }
  std::vector<std::string> found(described.size());
  parallel_for(std::ssize(described), [&](int64_t i) {
    const ColmapEntry& image = *described[static_cast<size_t>(i)];
    std::string& complaint = found[static_cast<size_t>(i)];
    const fs::path file = folder / image.name;
    std::error_code error;
    if (!fs::exists(file, error)) {
      complaint = fmt::format("{}: in the database, but no longer in {}; its features there are used", image.name,
                              folder.string());
    } else if (!image.sha256.empty() && known.contains(image.name)) {
      try {
        if (sha256_of_file(file) == image.sha256) return;
        complaint = fmt::format(
            "{}: has changed since it was described; its features in the database are used - start a new database to "
            "describe it again",
            image.name);
      } catch (const Error& failure) {
        if (failure.kind() != Error::Kind::kWork) throw;
        complaint = failure.what();
      }
    }
  });
  std::erase(found, "");
  return found;
}

}  // namespace

void ColmapExportOptions::validate() const {
  ADA_ASSERT(pictures.as_stored);
  pictures.validate();
  ADA_USAGE(sigma >= 0 && sigma <= 1000, "ColmapExportOptions::sigma = {}, must be 0 to 1000", sigma);
  colmap_camera_model(camera_model);
}

ColmapExportReport export_to_colmap(const fs::path& folder, ColmapWriter& writer, Descriptor& descriptor,
                                    const ColmapExportOptions& options) {
  Export work(folder, writer, descriptor, options);
  std::map<std::string, ColmapEntry> present;
  for (const ColmapEntry& image : writer.images()) present[image.name] = image;
  const std::vector<std::string> names = picture_names(folder);
  prepare_opencv_for(folder, names);
  for (const std::string& name : names) {
    const auto found = present.find(name);
    ADA_CHECK(
        found == present.end() || !found->second.described,
        "[colmap] {}: the database has features of it - --redescribe replaces the descriptors, or write a new one",
        name);
  }
  describe_named(work, names, present, writer, options);
  return work.commit();
}

ColmapExportReport add_to_colmap(const fs::path& folder, const fs::path& path, Descriptor& descriptor,
                                 const ColmapExportOptions& options) {
  const std::vector<std::string> all = picture_names(folder);
  prepare_opencv_for(folder, all);
  ColmapExportReport report;
  std::set<std::string> bad;
  for (bool more = true, first = true; more; first = false) {
    const auto writer = open_colmap_writer(path);
    Export work(folder, *writer, descriptor, options, /*goes_on=*/true);
    std::map<std::string, ColmapEntry> present;
    for (const ColmapEntry& image : writer->images()) present[image.name] = image;
    if (first) report.changed = changed_since(folder, all, present);
    std::vector<std::string> names;
    for (const std::string& name : all) {
      const auto found = present.find(name);
      const bool described = found != present.end() && found->second.described;
      if (described) work.know(found->second);
      if (!described && !bad.contains(name)) names.push_back(name);
    }
    more = names.size() > kSavedAtOnce;
    if (more) names.resize(kSavedAtOnce);
    if (names.empty()) break;
    describe_named(work, names, present, *writer, options);
    const ColmapExportReport some = work.commit();
    bad.insert(work.bad.begin(), work.bad.end());
    report.images += some.images;
    report.keypoints += some.keypoints;
    report.cameras += some.cameras;
    report.seconds_describing += some.seconds_describing;
    report.empty.insert(report.empty.end(), some.empty.begin(), some.empty.end());
    report.complaints.insert(report.complaints.end(), some.complaints.begin(), some.complaints.end());
  }
  return report;
}

ColmapExportReport redescribe_for_colmap(const fs::path& folder, ColmapWriter& writer, Descriptor& descriptor,
                                         const ColmapExportOptions& options) {
  Export work(folder, writer, descriptor, options);
  const std::vector<ColmapEntry> images = writer.images();
  ADA_CHECK(!images.empty(), "[colmap] expected images with keypoints to describe, found an empty database");
  work.report.cleared_matches = writer.match_count();
  ADA_CHECK(work.report.cleared_matches == 0 || options.clear_matches,
            "[colmap] {} pairs of images are matched by the descriptors to be replaced - --clear-matches drops them, "
            "then run the matcher again",
            work.report.cleared_matches);
  writer.clear_matches();
  std::vector<std::string> names;
  int64_t total = 0;
  for (const ColmapEntry& image : images) {
    names.push_back(image.name);
    total += image.keypoints;
  }
  prepare_opencv_for(folder, names);
  Progress progress("describing", "keypoints", total);
  work.run(
      names, progress,
      [&](size_t i, const PictureFile& picture) {
        const ColmapEntry& image = images[i];
        work.check_size(image, picture);
        std::unique_lock lock(work.database);
        std::vector<Keypoint> keypoints = writer.keypoints(image);
        lock.unlock();
        for (Keypoint& k : keypoints) {
          if (k.sigma == 0) k.sigma = options.sigma;
          ADA_CHECK(k.sigma > 0, "[colmap] {}: the database has places of keypoints only - give their scale by --sigma",
                    image.name);
          if (options.pictures.features.upright) k.angle = 0;
        }
        std::vector<uint8_t> patches = picture.cut(keypoints);
        return CutPicture{picture.width(), picture.height(), std::move(keypoints), std::move(patches)};
      },
      [&](size_t i, const CutPicture&, std::span<const uint8_t> rows) {
        writer.set_descriptors(images[i].id, rows);
        return images[i].id;
      });
  return work.commit();
}

}  // namespace adasample
