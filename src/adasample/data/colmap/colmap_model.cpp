// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/colmap/colmap_model.h"

#include <algorithm>

#include "adasample/base/bytes/sha256.h"
#include "adasample/base/error.h"
#include "adasample/base/files/mapped_file.h"
#include "adasample/base/log.h"
#include "adasample/data/colmap/colmap_builder.h"

namespace adasample {
namespace fs = std::filesystem;

namespace {

constexpr std::array kFiles = {"cameras", "images", "points3D"};
constexpr const char* kBinary = ".bin";
constexpr const char* kText = ".txt";

bool holds(const fs::path& folder, const char* extension) {
  return std::all_of(kFiles.begin(), kFiles.end(), [&](const char* name) {
    std::error_code error;
    return fs::is_regular_file(folder / (std::string(name) + extension), error);
  });
}

// Where below `folder` a model may have been meant: " - did you mean X?", or nothing.
std::string hint(const fs::path& folder) {
  for (const char* below : {"sparse/0", "0", "sparse"}) {
    if (holds_colmap_model(folder / below)) return fmt::format(" - did you mean {}?", (folder / below).string());
  }
  return "";
}

template <typename Record>
size_t index_of(const std::vector<Record>& records, uint64_t id) {
  const auto found = std::lower_bound(records.begin(), records.end(), id,
                                      [](const Record& r, uint64_t wanted) { return r.id < wanted; });
  ADA_ASSERT(found != records.end() && found->id == id);
  return static_cast<size_t>(found - records.begin());
}

}  // namespace

std::array<double, 3> ColmapImage::centre() const {
  const auto [w, x, y, z] = rotation;
  const auto [a, b, c] = translation;
  // Minus the transposed rotation matrix times the translation.
  return {-((1 - 2 * (y * y + z * z)) * a + 2 * (x * y + w * z) * b + 2 * (x * z - w * y) * c),
          -(2 * (x * y - w * z) * a + (1 - 2 * (x * x + z * z)) * b + 2 * (y * z + w * x) * c),
          -(2 * (x * z + w * y) * a + 2 * (y * z - w * x) * b + (1 - 2 * (x * x + y * y)) * c)};
}

const ColmapCamera& ColmapModel::camera(uint32_t id) const { return cameras[index_of(cameras, id)]; }

size_t ColmapModel::image_index(uint32_t id) const { return index_of(images, id); }

int64_t ColmapModel::observation_count() const {
  int64_t count = 0;
  for (const ColmapPoint& point : points) count += static_cast<int64_t>(point.track.size());
  return count;
}

bool holds_colmap_model(const fs::path& folder) { return holds(folder, kBinary) || holds(folder, kText); }

ColmapModel read_colmap_model(const fs::path& folder) {
  const bool binary = holds(folder, kBinary), text = holds(folder, kText);
  ADA_CHECK(binary || text, "[colmap] {}: expected {}, each as .bin or each as .txt{}", folder.string(),
            fmt::join(kFiles, ", "), hint(folder));
  if (binary && text) log_info("{}: the model is there as .bin and as .txt; reading .bin", folder.string());
  std::vector<MappedFile> mapped;
  for (const char* name : kFiles) mapped.emplace_back(folder / (std::string(name) + (binary ? kBinary : kText)));
  const auto file = [&](size_t i) { return ColmapFiles::File{mapped[i].path().string(), mapped[i].bytes()}; };
  ColmapModel model = (binary ? parse_colmap_binary : parse_colmap_text)({file(0), file(1), file(2)});
  model.form = binary ? "binary" : "text";
  Sha256 sha256;  // of what has been found to be a model
  for (const MappedFile& part : mapped) sha256.update(part.bytes());
  model.sha256 = sha256.hex();
  return model;
}

std::vector<fs::path> places_near_model(const fs::path& folder, const std::string& name) {
  std::vector<fs::path> places;
  for (const char* up : {".", "..", "../.."}) places.push_back((folder / up / name).lexically_normal());
  return places;
}

std::optional<fs::path> find_near_model(const fs::path& folder, const std::string& name) {
  for (const fs::path& place : places_near_model(folder, name)) {
    std::error_code error;
    if (fs::exists(place, error)) return place;
  }
  return {};
}

}  // namespace adasample
