// SPDX-License-Identifier: Apache-2.0
#include "adasample/integrate/colmap/colmap_database.h"

#include <memory>
#include <mutex>

#include "adasample/base/error.h"
#include "adasample/base/text.h"
#include "adasample/integrate/colmap/colmap_keypoints.h"
#include "adasample/integrate/colmap/sqlite/sqlite.h"

namespace adasample {
namespace fs = std::filesystem;

namespace {

constexpr const char* kExpected = "COLMAP's database with tables images and keypoints";
constexpr const char* kQuery =
    "SELECT rows, cols, data FROM images JOIN keypoints USING (image_id) WHERE images.name = ?1";

// SQLite's name for a file that is only read. Without a log or a journal it is also said not to change meanwhile
// ("immutable"), so that it can be read where nothing may be written; a log's content would be missed that way. The
// journal of a writer that crashed must be played back first, which writes to the file.
std::string uri_of(const fs::path& path) {
  std::error_code error;
  ADA_CHECK(fs::is_regular_file(path, error), "[colmap] {}: expected COLMAP's database, found no such file",
            path.string());
  std::string uri = "file:";
  for (const char c : fs::absolute(path).string()) {
    if (c == '%' || c == '?' || c == '#') {
      uri += fmt::format("%{:02x}", static_cast<unsigned>(c));
    } else {
      uri += c;
    }
  }
  if (fs::exists(path.string() + "-journal", error)) return uri + "?mode=rw";
  const bool log = fs::exists(path.string() + "-wal", error);
  return uri + (log ? "?mode=ro" : "?mode=ro&immutable=1");
}

class Database {
 public:
  explicit Database(const fs::path& path)
      : database_(uri_of(path), SQLITE_OPEN_READWRITE | SQLITE_OPEN_URI, path.string(), kExpected),
        query_(database_, kQuery) {}

  std::vector<Keypoint> keypoints(const std::string& name) {
    const std::lock_guard lock(mutex_);
    query_.begin(name);
    const std::string& path = database_.label();
    ADA_CHECK(query_.step(), "[colmap] {}: expected keypoints of {}, found none - another model's database?", path,
              shown(name));
    return colmap_keypoints(query_.integer(0), query_.integer(1), query_.blob(2), fmt::format("{}: {}", path, name));
  }

 private:
  std::mutex mutex_;
  Sqlite database_;
  SqliteStatement query_;
};

}  // namespace

bool have_sqlite() { return true; }

ColmapKeypoints open_colmap_keypoints(const fs::path& path) {
  return [database = std::make_shared<Database>(path)](const std::string& name) { return database->keypoints(name); };
}

}  // namespace adasample
