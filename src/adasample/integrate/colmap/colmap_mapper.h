// SPDX-License-Identifier: Apache-2.0
// The installed COLMAP, asked to make a model of a database with matches.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "adasample/data/colmap/colmap_model.h"

namespace adasample {

struct ColmapProgram {
  std::filesystem::path path;
  bool global = false;  // whether it has a global_mapper
};

// The program that the environment variable COLMAP names, or `colmap` in the path; none where there is none. What it
// can do is what its help lists, written to `log`; nothing is concluded from its version.
std::optional<ColmapProgram> find_colmap(const std::filesystem::path& log);

// The command that maps: global_mapper or mapper.
std::vector<std::string> mapper_command(const ColmapProgram& colmap, bool global, const std::filesystem::path& images,
                                        const std::filesystem::path& database, const std::filesystem::path& out);

// Runs it; `sparse` appears when it has ended well, with one folder per model. Throws Error that names `log`.
void run_mapper(const ColmapProgram& colmap, bool global, const std::filesystem::path& images,
                const std::filesystem::path& database, const std::filesystem::path& sparse,
                const std::filesystem::path& log);

// The models below `sparse`, that with the most pictures first.
std::vector<ColmapModel> read_models(const std::filesystem::path& sparse);

}  // namespace adasample
