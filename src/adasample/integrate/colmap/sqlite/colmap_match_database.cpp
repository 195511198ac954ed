// SPDX-License-Identifier: Apache-2.0
#include "adasample/integrate/colmap/colmap_match_database.h"

#include <cstring>

#include "adasample/base/conventions.h"
#include "adasample/base/error.h"
#include "adasample/base/files/file_writer.h"
#include "adasample/integrate/colmap/colmap_encoding.h"
#include "adasample/integrate/colmap/colmap_keypoints.h"
#include "adasample/integrate/colmap/sqlite/colmap_schema.h"

namespace adasample {
namespace {

namespace fs = std::filesystem;

constexpr double kHalfPixel = 0.5;

template <typename T>
std::span<const uint8_t> as_blob(const T& values) {
  return {reinterpret_cast<const uint8_t*>(values.data()), values.size() * sizeof(values[0])};
}

class SqliteMatchDatabase : public ColmapMatchDatabase {
 public:
  SqliteMatchDatabase(const fs::path& path, std::chrono::milliseconds patience)
      : database_(existing(path), SQLITE_OPEN_READWRITE, path.string(), "COLMAP's database") {
    ignore_file_size_signal();
    database_.wait_for_others(patience);
    check_colmap_tables(database_);
    posed_ =
        has_column(database_, "two_view_geometries", "qvec") && has_column(database_, "two_view_geometries", "tvec");
  }

  std::vector<ColmapPicture> pictures() override {
    SqliteStatement query(database_,
                          "SELECT image_id, name, camera_id, model, width, height, params, prior_focal_length, "
                          "coalesce((SELECT min(k.rows, d.rows) FROM keypoints k JOIN descriptors d USING (image_id) "
                          "WHERE k.image_id = i.image_id), 0) FROM images i JOIN cameras USING (camera_id) ORDER BY "
                          "image_id");
    std::vector<ColmapPicture> found;
    while (query.step()) {
      ColmapPicture picture{.id = query.integer(0), .name = query.text(1), .camera = {}, .focal_known = false};
      const int64_t model = query.integer(3);
      ADA_CHECK(model >= 0 && model < std::ssize(colmap_camera_models()),
                "[colmap] {}: {}: expected a camera model 0 to {}, found {}", database_.label(), picture.name,
                std::ssize(colmap_camera_models()) - 1, model);
      ADA_CHECK(picture.id > 0 && picture.id < kMostColmapImages,
                "[colmap] {}: {}: expected an image_id above 0, found {}", database_.label(), picture.name, picture.id);
      picture.camera = {.id = static_cast<uint32_t>(query.integer(2)),
                        .model = static_cast<int>(model),
                        .width = static_cast<int>(query.integer(4)),
                        .height = static_cast<int>(query.integer(5)),
                        .parameters = {}};
      const std::span<const uint8_t> bytes = query.blob(6);
      const auto expected = static_cast<size_t>(colmap_camera_models()[static_cast<size_t>(model)].parameters);
      ADA_CHECK(bytes.size() == expected * sizeof(double),
                "[colmap] {}: {}: expected {} numbers of a camera, found {} bytes", database_.label(), picture.name,
                expected, bytes.size());
      picture.camera.parameters.resize(expected);
      std::memcpy(picture.camera.parameters.data(), bytes.data(), bytes.size());
      picture.focal_known = query.integer(7) != 0;
      picture.keypoints = query.integer(8);
      found.push_back(std::move(picture));
    }
    return found;
  }

  DescribedPicture features(const ColmapPicture& picture) override {
    const std::string where = fmt::format("{}: {}", database_.label(), picture.name);
    DescribedPicture described{.width = picture.camera.width,
                               .height = picture.camera.height,
                               .keypoints = {},
                               .dimension = kDescriptorSize,
                               .descriptors = {}};
    SqliteStatement places(database_, "SELECT rows, cols, data FROM keypoints WHERE image_id = ?1");
    places.begin(picture.id);
    ADA_CHECK(places.step(), "[colmap] {}: expected keypoints, found none", where);
    described.keypoints = colmap_keypoints(places.integer(0), places.integer(1), places.blob(2), where);
    for (Keypoint& k : described.keypoints) {
      k.x += kHalfPixel;
      k.y += kHalfPixel;
    }
    SqliteStatement rows(database_, "SELECT rows, cols, data FROM descriptors WHERE image_id = ?1");
    rows.begin(picture.id);
    ADA_CHECK(rows.step(), "[colmap] {}: expected descriptors, found none", where);
    const std::span<const uint8_t> bytes = rows.blob(2);
    ADA_CHECK(rows.integer(1) == kDescriptorSize && rows.integer(0) == std::ssize(described.keypoints) &&
                  bytes.size() == described.keypoints.size() * kDescriptorSize,
              "[colmap] {}: expected {} descriptors of {} bytes, found {} of {} in {} bytes", where,
              described.keypoints.size(), kDescriptorSize, rows.integer(0), rows.integer(1), bytes.size());
    described.descriptors = colmap_rows(bytes);
    return described;
  }

  std::set<int64_t> finished() override {
    SqliteStatement query(database_, "SELECT pair_id FROM matches JOIN two_view_geometries USING (pair_id)");
    std::set<int64_t> pairs;
    while (query.step()) pairs.insert(query.integer(0));
    return pairs;
  }

  std::vector<VerifiedPair> verified() override {
    SqliteStatement query(database_, "SELECT pair_id, rows FROM two_view_geometries WHERE rows > 0");
    std::vector<VerifiedPair> pairs;
    while (query.step()) {
      const int64_t pair = query.integer(0);
      pairs.push_back({pair / kMostColmapImages, pair % kMostColmapImages, query.integer(1)});
    }
    return pairs;
  }

  void write(int64_t pair, std::span<const Match> matches, const TwoView& view) override {
    begin();
    std::vector<uint32_t> all, verified;
    for (const Match& m : matches)
      all.insert(all.end(), {static_cast<uint32_t>(m.first), static_cast<uint32_t>(m.second)});
    for (const uint32_t i : view.inliers) verified.insert(verified.end(), {all[2 * i], all[2 * i + 1]});
    put("INSERT OR REPLACE INTO matches (pair_id, rows, cols, data) VALUES (?1, ?2, 2, ?3)", pair,
        int64_t{std::ssize(matches)}, as_blob(all));
    // COLMAP leaves the matrices of a pair without inliers out, and writes zeros for one that it does not know.
    using Matrix = std::array<double, 9>;
    const bool found = !verified.empty();
    const Matrix none{}, f = view.fundamental.value_or(none), e = view.essential.value_or(none),
                         h = view.homography.value_or(none);
    const std::array<double, 4> turned{1, 0, 0, 0};
    const std::array<double, 3> moved{};
    const auto blob = [&](const auto& values) { return found ? as_blob(values) : std::span<const uint8_t>(); };
    const int64_t rows = std::ssize(view.inliers), kind = static_cast<int64_t>(view.kind);
    if (posed_) {
      put("INSERT OR REPLACE INTO two_view_geometries (pair_id, rows, cols, data, config, F, E, H, qvec, tvec) VALUES "
          "(?1, "
          "?2, 2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
          pair, rows, as_blob(verified), kind, blob(f), blob(e), blob(h), blob(turned), blob(moved));
    } else {
      put("INSERT OR REPLACE INTO two_view_geometries (pair_id, rows, cols, data, config, F, E, H) VALUES (?1, ?2, 2, "
          "?3, "
          "?4, ?5, ?6, ?7)",
          pair, rows, as_blob(verified), kind, blob(f), blob(e), blob(h));
    }
  }

  void save() override {
    if (!writing_) return;
    database_.run("COMMIT");
    writing_ = false;
  }

  void clear_matches() override {
    begin();
    database_.run("DELETE FROM matches; DELETE FROM two_view_geometries");
    save();
  }

 private:
  static std::string existing(const fs::path& path) {
    std::error_code error;
    ADA_CHECK(fs::is_regular_file(path, error), "[colmap] {}: expected COLMAP's database, found no such file",
              path.string());
    return path.string();
  }

  void begin() {
    if (writing_) return;
    database_.run("BEGIN IMMEDIATE");
    writing_ = true;
  }

  template <typename... Values>
  void put(const std::string& sql, const Values&... values) {
    SqliteStatement statement(database_, sql);
    statement.begin(values...);
    statement.step();
  }

  Sqlite database_;
  bool posed_ = false, writing_ = false;
};

}  // namespace

std::unique_ptr<ColmapMatchDatabase> open_colmap_match_database(const fs::path& path,
                                                                std::chrono::milliseconds patience) {
  return std::make_unique<SqliteMatchDatabase>(path, patience);
}

}  // namespace adasample
