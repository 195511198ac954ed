// SPDX-License-Identifier: Apache-2.0
#include "adasample/integrate/feature_writer.h"

#include "adasample/base/error.h"
#include "adasample/base/files/appear_together.h"
#include "adasample/base/files/row_writer.h"
#include "adasample/features/keypoint_list.h"
#include "adasample/integrate/hloc/hloc_h5.h"

namespace adasample {
namespace {

class RowFeatureWriter : public FeatureWriter {
 public:
  RowFeatureWriter(const std::filesystem::path& out, int dimension, NumberType type)
      : list_path_(keypoints_beside(out)),
        together_(out, list_path_),
        rows_(out, dimension, type),
        list_(new_list(list_path_)) {
    list_.writer().write(kKeypointListHeader);
    list_.writer().write("\n");
  }

  void add(const PictureFeatures& picture) override {
    rows_.add(picture.descriptors);
    list_.writer().write(format_keypoints(picture.name, picture.keypoints));
  }

  void finish() override {
    refuse_existing(list_path_);
    together_.commit(
        list_.work(), [this] { list_.commit(); }, [this] { rows_.finish(); });
  }

 private:
  static const std::filesystem::path& new_list(const std::filesystem::path& path) {
    refuse_existing(path);
    return path;
  }

  std::filesystem::path list_path_;
  AppearTogether together_;
  RowWriter rows_;
  StagedFile list_;
};

}  // namespace

std::filesystem::path keypoints_beside(const std::filesystem::path& out) {
  return std::filesystem::path(out).replace_extension(".keypoints.csv");
}

std::unique_ptr<FeatureWriter> make_feature_writer(const std::filesystem::path& out, int dimension, NumberType type) {
  if (out.extension() == ".h5") return make_hloc_writer(out, dimension, type);
  return std::make_unique<RowFeatureWriter>(out, dimension, type);
}

}  // namespace adasample
