// SPDX-License-Identifier: Apache-2.0
#include "adasample/integrate/colmap_database.h"

#include <sqlite3.h>

#include <cstring>
#include <memory>
#include <mutex>
#include <span>

#include "adasample/base/error.h"
#include "adasample/base/text.h"
#include "adasample/integrate/colmap_keypoints.h"

namespace adasample {
namespace fs = std::filesystem;

namespace {

constexpr const char* kQuery =
    "SELECT rows, cols, data FROM images JOIN keypoints USING (image_id) WHERE images.name = ?1";

// SQLite's name for a file that is only read. Without a write-ahead log it is also said not to change meanwhile
// ("immutable"), so that it can be read where nothing may be written; a log's content would be missed that way.
std::string uri_of(const fs::path& path) {
  std::string uri = "file:";
  for (const char c : fs::absolute(path).string()) {
    if (c == '%' || c == '?' || c == '#') {
      uri += fmt::format("%{:02x}", static_cast<unsigned>(c));
    } else {
      uri += c;
    }
  }
  std::error_code error;
  const bool log = fs::exists(path.string() + "-wal", error);
  return uri + (log ? "?mode=ro" : "?mode=ro&immutable=1");
}

class Database {
 public:
  explicit Database(const fs::path& path) : path_(path.string()) {
    std::error_code error;
    ADA_CHECK(fs::is_regular_file(path, error), "[colmap] {}: expected COLMAP's database, found no such file", path_);
    sqlite3* opened = nullptr;
    const int code = sqlite3_open_v2(uri_of(path).c_str(), &opened, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nullptr);
    connection_.reset(opened);  // also a failed one must be closed
    check(code == SQLITE_OK);
    sqlite3_stmt* prepared = nullptr;
    check(sqlite3_prepare_v2(opened, kQuery, -1, &prepared, nullptr) == SQLITE_OK);
    query_.reset(prepared);
  }

  std::vector<Keypoint> keypoints(const std::string& name) {
    const std::lock_guard lock(mutex_);
    sqlite3_stmt* query = query_.get();
    sqlite3_reset(query);
    check(sqlite3_bind_text(query, 1, name.c_str(), -1, SQLITE_TRANSIENT) == SQLITE_OK);
    const int code = sqlite3_step(query);
    check(code == SQLITE_ROW || code == SQLITE_DONE);
    ADA_CHECK(code == SQLITE_ROW, "[colmap] {}: expected keypoints of {}, found none - another model's database?",
              path_, shown(name));
    const auto* blob = static_cast<const uint8_t*>(sqlite3_column_blob(query, 2));  // before its size is asked for
    const std::span<const uint8_t> bytes(blob, static_cast<size_t>(sqlite3_column_bytes(query, 2)));
    return decode(sqlite3_column_int64(query, 0), sqlite3_column_int64(query, 1), bytes,
                  fmt::format("{}: {}", path_, name));
  }

 private:
  void check(bool ok) const {
    ADA_CHECK(ok, "[colmap] {}: expected COLMAP's database with tables images and keypoints, SQLite says: {}", path_,
              sqlite3_errmsg(connection_.get()));
  }

  static std::vector<Keypoint> decode(int64_t rows, int64_t columns, std::span<const uint8_t> bytes,
                                      const std::string& where) {
    constexpr int64_t kMost = int64_t{1} << 30;  // keeps the product below from overflowing
    ADA_CHECK(rows >= 0 && columns >= 1 && rows < kMost && columns < kMost &&
                  std::ssize(bytes) == rows * columns * static_cast<int64_t>(sizeof(float)),
              "[colmap] {}: expected {} x {} floats, found {} bytes", where, rows, columns, bytes.size());
    std::vector<float> values(static_cast<size_t>(rows * columns));
    if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
    return colmap_keypoints(values, columns, where);
  }

  struct Close {
    void operator()(sqlite3* connection) const { sqlite3_close_v2(connection); }
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };

  const std::string path_;
  std::mutex mutex_;
  std::unique_ptr<sqlite3, Close> connection_;
  std::unique_ptr<sqlite3_stmt, Close> query_;  // finalised before the connection closes
};

}  // namespace

bool have_sqlite() { return true; }

ColmapKeypoints open_colmap_keypoints(const fs::path& path) {
  return [database = std::make_shared<Database>(path)](const std::string& name) { return database->keypoints(name); };
}

}  // namespace adasample
