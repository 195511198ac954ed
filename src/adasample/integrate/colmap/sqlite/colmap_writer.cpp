// SPDX-License-Identifier: Apache-2.0
#include "adasample/integrate/colmap/colmap_writer.h"

#include "adasample/base/conventions.h"
#include "adasample/base/error.h"
#include "adasample/base/files/file_io.h"
#include "adasample/base/files/file_writer.h"
#include "adasample/integrate/colmap/colmap_keypoints.h"
#include "adasample/integrate/colmap/sqlite/colmap_schema.h"

namespace adasample {
namespace fs = std::filesystem;

namespace {

constexpr int64_t kCameraSensor = 0, kSift = 0,
                  kUndefined = -1;  // COLMAP's numbers of a sensor's and a descriptor's type
constexpr int64_t kKeypointColumns = 6;

template <typename T>
std::span<const uint8_t> bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const uint8_t*>(values.data()), values.size() * sizeof(T)};
}

// The journal of a database that is gone would be played back into a new one of its name.
std::unique_ptr<StagedFile> stage_new(const fs::path& path) {
  if (fs::exists(path)) return nullptr;
  refuse_existing(path);  // a link to nothing
  for (const char* ending : {"-wal", "-journal"}) {
    const std::string journal = path.string() + ending;
    check_name_length(journal);
    ADA_CHECK(!fs::exists(journal), "[colmap] {}: expected no journal of a database that is not there, found {} - {}",
              path.string(), journal, "put its database back, or remove it");
  }
  return std::make_unique<StagedFile>(path);
}

// A new database is built in a hidden file beside its name; nobody else knows that one, so it needs no journal on the
// disk, which would stay behind when the process is killed. (OFF is not for defensive connections.)
class SqliteColmapWriter : public ColmapWriter {
 public:
  SqliteColmapWriter(const fs::path& path, std::chrono::milliseconds patience)
      : path_(path),
        staged_(stage_new(path)),
        database_(std::make_unique<Sqlite>((staged_ ? staged_->work() : path).string(), SQLITE_OPEN_READWRITE,
                                           path.string(), "COLMAP's database")) {
    ignore_file_size_signal();
    database_->wait_for_others(patience);
    if (staged_) {
      database_->run("PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; BEGIN");
      create_colmap_tables(*database_);
    } else {
      database_->run("BEGIN IMMEDIATE");  // here and not after the work: nobody else writes any more
    }
    check_colmap_tables(*database_);
    typed_ = has_column(*database_, "descriptors", "type");
    framed_ = has_column(*database_, "rigs", "rig_id") && has_column(*database_, "frames", "frame_id") &&
              has_column(*database_, "frame_data", "frame_id");
    knows_files_ = has_column(*database_, "adasample_files", "sha256");
  }

  std::vector<ColmapEntry> images() override {
    SqliteStatement query(
        *database_,
        "SELECT image_id, name, camera_id, width, height, EXISTS (SELECT 1 FROM keypoints k WHERE "
        "k.image_id = i.image_id) OR EXISTS (SELECT 1 FROM descriptors d WHERE d.image_id = "
        "i.image_id), (SELECT rows FROM keypoints k WHERE k.image_id = i.image_id), " +
            std::string(knows_files_ ? "(SELECT sha256 FROM adasample_files f WHERE f.image_id = i.image_id)"
                                     : "NULL") +
            " FROM images i JOIN cameras USING (camera_id) ORDER BY name");
    std::vector<ColmapEntry> found;
    while (query.step()) {
      found.push_back({query.integer(0), query.text(1), query.integer(2), query.integer(3), query.integer(4),
                       query.integer(5) != 0, query.integer(6), query.text(7)});
    }
    return found;
  }

  std::vector<Keypoint> keypoints(const ColmapEntry& image) override {
    SqliteStatement query(*database_, "SELECT rows, cols, data FROM keypoints WHERE image_id = ?1");
    query.begin(image.id);
    const std::string where = fmt::format("{}: {}", database_->label(), image.name);
    ADA_CHECK(query.step(), "[colmap] {}: expected keypoints, found none - run COLMAP's feature_extractor first",
              where);
    return colmap_keypoints(query.integer(0), query.integer(1), query.blob(2), where);
  }

  int64_t match_count() override {
    return sqlite_number(*database_,
                         "SELECT count(*) FROM (SELECT pair_id FROM matches UNION SELECT pair_id FROM "
                         "two_view_geometries)");
  }

  int64_t add_camera(const ColmapCamera& camera, bool focal_known) override {
    const int64_t id = insert("cameras (model, width, height, params, prior_focal_length) VALUES (?1, ?2, ?3, ?4, ?5)",
                              int64_t{camera.model}, int64_t{camera.width}, int64_t{camera.height},
                              bytes_of(camera.parameters), int64_t{focal_known});
    if (framed_) insert("rigs (ref_sensor_id, ref_sensor_type) VALUES (?1, ?2)", id, kCameraSensor);
    return id;
  }

  int64_t add_image(const std::string& name, int64_t camera) override {
    const int64_t id = insert("images (name, camera_id) VALUES (?1, ?2)", name, camera);
    if (framed_) {
      const int64_t rig =
          sqlite_number(*database_, "SELECT rig_id FROM rigs WHERE ref_sensor_id = ?1 AND ref_sensor_type = ?2", camera,
                        kCameraSensor);
      ADA_CHECK(rig > 0, "[colmap] {}: expected a rig of camera {}, found none", database_->label(), camera);
      const int64_t frame = insert("frames (rig_id) VALUES (?1)", rig);
      insert("frame_data (frame_id, data_id, sensor_id, sensor_type) VALUES (?1, ?2, ?3, ?4)", frame, id, camera,
             kCameraSensor);
    }
    return id;
  }

  void set_keypoints(int64_t image, std::span<const Keypoint> keypoints) override {
    remove("keypoints", image);
    insert("keypoints (image_id, rows, cols, data) VALUES (?1, ?2, ?3, ?4)", image, int64_t{std::ssize(keypoints)},
           kKeypointColumns, bytes_of(colmap_keypoint_rows(keypoints)));
  }

  void set_descriptors(int64_t image, std::span<const uint8_t> descriptors, bool sift) override {
    const int64_t rows = std::ssize(descriptors) / kDescriptorSize, columns = kDescriptorSize;
    remove("descriptors", image);
    if (typed_) {
      insert("descriptors (image_id, type, rows, cols, data) VALUES (?1, ?2, ?3, ?4, ?5)", image,
             sift ? kSift : kUndefined, rows, columns, descriptors);
    } else {
      insert("descriptors (image_id, rows, cols, data) VALUES (?1, ?2, ?3, ?4)", image, rows, columns, descriptors);
    }
  }

  void set_file(int64_t image, const std::string& sha256) override {
    if (!knows_files_) {
      database_->run(
          "CREATE TABLE adasample_files (image_id INTEGER PRIMARY KEY NOT NULL, sha256 TEXT NOT NULL, "
          "FOREIGN KEY(image_id) REFERENCES images(image_id) ON DELETE CASCADE)");
      knows_files_ = true;
    }
    remove("adasample_files", image);
    insert("adasample_files (image_id, sha256) VALUES (?1, ?2)", image, sha256);
  }

  void clear_matches() override { database_->run("DELETE FROM matches; DELETE FROM two_view_geometries"); }

  void commit() override {
    database_->run("COMMIT");
    database_.reset();
    if (!staged_) return;
    refuse_existing(path_);  // made by another program meanwhile
    staged_->commit();
  }

 private:
  template <typename... Values>
  int64_t insert(const std::string& what, const Values&... values) {
    SqliteStatement statement(*database_, "INSERT INTO " + what);
    statement.begin(values...);
    statement.step();
    return database_->last_id();
  }
  void remove(const std::string& table, int64_t image) {
    SqliteStatement statement(*database_, "DELETE FROM " + table + " WHERE image_id = ?1");
    statement.begin(image);
    statement.step();
  }

  fs::path path_;
  std::unique_ptr<StagedFile> staged_;  // of a new database
  std::unique_ptr<Sqlite> database_;    // closed first
  bool typed_ = false, framed_ = false, knows_files_ = false;
};

}  // namespace

std::unique_ptr<ColmapWriter> open_colmap_writer(const fs::path& path, std::chrono::milliseconds patience) {
  return std::make_unique<SqliteColmapWriter>(path, patience);
}

}  // namespace adasample
