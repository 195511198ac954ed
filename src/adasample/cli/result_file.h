// SPDX-License-Identifier: Apache-2.0
// --out FILE: the figures of a command as JSON in a new file, complete or absent; and shown, in any case.
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "adasample/cli/context.h"

namespace adasample {

// Throw Error when the file of `option` has no folder to stand in, or exists: to be asked before the work, not after.
void require_folder_of(const std::string& file, const std::string& option);
void require_new_file(const std::string& file, const std::string& option = "--out");

class ResultFile {
 public:
  void add_option(CLI::App& command);
  void refuse_existing_file() const;  // require_new_file(), if a file was asked for
  // Context::show(), then writes the file if one was asked for: a full disk does not cost the figures.
  void show(const Context& context, const nlohmann::ordered_json& object, const std::string& text) const;

 private:
  std::string path_;
};

}  // namespace adasample
