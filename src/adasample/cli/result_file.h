// SPDX-License-Identifier: Apache-2.0
// --out FILE: the figures of a command as JSON in a new file, complete or absent.
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace adasample {

class ResultFile {
 public:
  void add_option(CLI::App& command);
  // Throws Error when the file exists: to be asked before the work, not after it.
  void refuse_existing_file() const;
  // Does nothing when no file was asked for.
  void write(const nlohmann::ordered_json& object) const;

 private:
  std::string path_;
};

}  // namespace adasample
