// SPDX-License-Identifier: Apache-2.0
#include "adasample/cli/config_file.h"

#include <fmt/format.h>

#include <iterator>

#include "adasample/base/error.h"

namespace adasample {

std::string toml_quote(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      quoted += fmt::format("\\u{:04X}", static_cast<unsigned>(c));
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

std::vector<CLI::ConfigItem> ConfigFile::from_config(std::istream& input) const {
  // The command line has been parsed by now: the names belong to the command it chose, but for the common ones.
  std::vector<std::string> chosen;
  for (const CLI::App* app = &root_; !app->get_subcommands().empty();) {
    app = app->get_subcommands().front();
    chosen.push_back(app->get_name());
    if (app->get_allow_extras()) return {};  // it is left to another program (cli/hand_over.h), and so is its file
  }
  text_->assign(std::istreambuf_iterator<char>(input), {});
  std::vector<CLI::ConfigItem> found;
  for (ConfigValue& value : parse_config(*text_, root_.get_config_ptr()->as<std::string>())) {
    CLI::ConfigItem item;
    if (root_.get_option_no_throw("--" + value.name) == nullptr) item.parents = chosen;
    item.name = std::move(value.name);
    item.inputs = std::move(value.values);
    found.push_back(std::move(item));
  }
  return found;
}

}  // namespace adasample
