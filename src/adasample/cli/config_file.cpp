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
  const CLI::App* app = &root_;
  while (!app->get_subcommands().empty()) {
    app = app->get_subcommands().front();
    chosen.push_back(app->get_name());
    if (app->get_allow_extras()) return {};  // it is left to another program (cli/hand_over.h), and so is its file
  }
  text_->assign(std::istreambuf_iterator<char>(input), {});
  const std::string label = root_.get_config_ptr()->as<std::string>();
  std::vector<CLI::ConfigItem> found;
  for (ConfigValue& value : parse_config(*text_, label)) {
    CLI::ConfigItem item;
    const CLI::Option* option = root_.get_option_no_throw("--" + value.name);
    if (option == nullptr) {
      item.parents = chosen;
      option = app->get_option_no_throw("--" + value.name);
    }
    // Of several the last would be taken, as on the command line.
    ADA_USAGE(option == nullptr || option->get_expected_max() > 1 || value.values.size() <= 1,
              "[config] {}: '{}' takes one value, found a list of {}", label, value.name, value.values.size());
    item.name = std::move(value.name);
    item.inputs = std::move(value.values);
    found.push_back(std::move(item));
  }
  return found;
}

}  // namespace adasample
