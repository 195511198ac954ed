// SPDX-License-Identifier: Apache-2.0
#include "adasample/cli/result_file.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "adasample/base/error.h"
#include "adasample/base/files/file_io.h"

namespace adasample {

void require_folder_of(const std::string& file, const std::string& option) {
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  std::error_code error;
  ADA_USAGE(folder.empty() || std::filesystem::is_directory(folder, error), "{} {}: there is no folder {}", option,
            file, folder.string());
}

void require_new_file(const std::string& file, const std::string& option) {
  refuse_existing(file);
  require_folder_of(file, option);
}

void ResultFile::add_option(CLI::App& command) {
  command.add_option("--out", path_, "Also write the results as JSON to this new file")->type_name("FILE");
}

void ResultFile::refuse_existing_file() const {
  if (!path_.empty()) require_new_file(path_);
}

void ResultFile::show(const Context& context, const nlohmann::ordered_json& object, const std::string& text) const {
  context.show(object, text);
  if (path_.empty()) return;
  // A folder's name need not be UTF-8; what is not is replaced rather than refused.
  write_file_atomically(path_, object.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

}  // namespace adasample
