// SPDX-License-Identifier: Apache-2.0
#include "adasample/integrate/colmap/colmap_mapper.h"

#include <algorithm>
#include <cstdlib>

#include "adasample/base/error.h"
#include "adasample/base/files/file_io.h"
#include "adasample/base/run_program.h"

namespace adasample {
namespace fs = std::filesystem;

namespace {

const std::vector<std::string> kWithoutDisplay = {"QT_QPA_PLATFORM=offscreen"};

}  // namespace

std::optional<ColmapProgram> find_colmap(const fs::path& log) {
  const char* named = std::getenv("COLMAP");
  const auto path = find_program(named != nullptr && *named != '\0' ? named : "colmap");
  if (!path) return std::nullopt;
  std::error_code error;
  const uintmax_t before = fs::exists(log, error) ? fs::file_size(log) : 0;
  run_program({path->string(), "help"}, log, kWithoutDisplay);
  const std::string help = read_text(log).substr(before);
  ADA_CHECK(help.find("mapper") != std::string::npos,
            "[reconstruct] {}: expected COLMAP, whose help names `mapper`; see {}", path->string(), log.string());
  return ColmapProgram{*path, help.find("global_mapper") != std::string::npos};
}

std::vector<std::string> mapper_command(const ColmapProgram& colmap, bool global, const fs::path& images,
                                        const fs::path& database, const fs::path& out) {
  return {colmap.path.string(), global ? "global_mapper" : "mapper",
          "--database_path",    database.string(),
          "--image_path",       images.string(),
          "--output_path",      out.string()};
}

void run_mapper(const ColmapProgram& colmap, bool global, const fs::path& images, const fs::path& database,
                const fs::path& sparse, const fs::path& log) {
  StagedFolder staged(sparse);
  const int code = run_program(mapper_command(colmap, global, images, database, staged.work()), log, kWithoutDisplay);
  const bool made = std::any_of(fs::directory_iterator(staged.work()), fs::directory_iterator(),
                                [](const fs::directory_entry& entry) { return holds_colmap_model(entry.path()); });
  ADA_CHECK(code == 0 && made, "[reconstruct] COLMAP's mapper ended with {} and made {} - too little overlap? see {}",
            code, made ? "a model" : "no model", log.string());
  staged.commit();
}

std::vector<ColmapModel> read_models(const fs::path& sparse) {
  std::vector<fs::path> folders;
  for (const fs::directory_entry& entry : fs::directory_iterator(sparse)) {
    if (holds_colmap_model(entry.path())) folders.push_back(entry.path());
  }
  std::sort(folders.begin(), folders.end());
  std::vector<ColmapModel> models;
  for (const fs::path& folder : folders) models.push_back(read_colmap_model(folder));
  ADA_CHECK(!models.empty(), "[reconstruct] {}: expected folders with COLMAP's models, found none", sparse.string());
  std::stable_sort(models.begin(), models.end(),
                   [](const ColmapModel& x, const ColmapModel& y) { return x.images.size() > y.images.size(); });
  return models;
}

}  // namespace adasample
