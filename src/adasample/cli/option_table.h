// SPDX-License-Identifier: Apache-2.0
// Options of a struct, bound once: the same entry makes the flag, its help with the default, the override of a preset
// and the line in config.toml.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "adasample/cli/config_file.h"

namespace adasample {

inline std::string toml_value(const std::string& value) { return toml_quote(value); }
inline std::string toml_value(bool value) { return value ? "true" : "false"; }
template <typename T>
requires std::is_arithmetic_v<T> std::string toml_value(T value) { return fmt::format("{}", value); }
template <typename T>
std::string toml_value(const std::optional<T>& value) {
  return value ? toml_value(*value) : "";
}
template <typename T>
std::string toml_value(const std::vector<T>& values) {
  std::string list;
  for (const T& value : values) list += (list.empty() ? "" : ", ") + toml_value(value);
  return "[" + list + "]";
}

// A value as text without quotes, and back; false for text that is none.
inline std::string plain_value(const std::string& value) { return value; }
template <typename T>
std::string plain_value(const T& value) {
  return toml_value(value);
}
template <typename T>
bool read_plain(const std::string& text, T& value) {
  return CLI::detail::lexical_cast(text, value);
}
template <typename T>
bool read_plain(const std::string& text, std::optional<T>& value) {
  value.reset();
  return text.empty() || read_plain(text, value.emplace());
}

template <typename Options>
class OptionTable {
 public:
  // `defaults` are shown in the help.
  OptionTable(CLI::App& command, const Options& defaults) : command_(command), defaults_(defaults) {}

  // `flag` is CLI11's notation ("--flips,!--no-flips"); `member` gives a reference into the struct.
  template <typename Member>
  CLI::Option* add(const std::string& flag, Member member, const std::string& help) {
    using T = std::decay_t<decltype(member(std::declval<Options&>()))>;
    return add<T>(
        flag, [member](const Options& o) { return T(member(const_cast<Options&>(o))); },
        [member](Options& o, const T& value) { member(o) = value; }, help);
  }

  // The general form, for members whose flag has another type (an enum by name).
  template <typename T>
  CLI::Option* add(const std::string& flag, std::function<T(const Options&)> get,
                   std::function<void(Options&, const T&)> set, const std::string& help) {
    auto value = std::make_shared<T>();
    values_.push_back(value);
    std::string text = help;
    if (const std::string shown = toml_value(get(defaults_)); !shown.empty()) text += " [" + shown + "]";
    CLI::Option* option = nullptr;
    if constexpr (std::is_same_v<T, bool>) {
      option = command_.add_flag(flag, *value, text);
    } else {
      option = command_.add_option(flag, *value, text)->take_last();
    }
    entries_.push_back({option->get_lnames().front(),
                        [option, value, set](Options& o) {
                          if (option->count() > 0) set(o, *value);
                        },
                        [get](const Options& o) { return toml_value(get(o)); },
                        [get](const Options& o) { return plain_value(get(o)); },
                        [set](Options& o, const std::string& given) {
                          T parsed{};
                          if (!read_plain(given, parsed)) return false;
                          set(o, parsed);
                          return true;
                        }});
    return option;
  }

  // Overwrites what the command line or the configuration file gave.
  void apply(Options& options) const {
    for (const Entry& entry : entries_) entry.apply(options);
  }

  // All entries as TOML, one a line; --config reads it back.
  std::string toml(const Options& options) const {
    std::string text;
    for (const Entry& entry : entries_) {
      if (const std::string value = entry.toml(options); !value.empty()) text += entry.name + " = " + value + "\n";
    }
    return text;
  }

  // Every entry by name, as plain text; and the way back, which says whether that name exists and takes that value.
  std::map<std::string, std::string> values(const Options& options) const {
    std::map<std::string, std::string> all;
    for (const Entry& entry : entries_) all[entry.name] = entry.plain(options);
    return all;
  }
  bool set(Options& options, const std::string& name, const std::string& value) const {
    for (const Entry& entry : entries_) {
      if (entry.name == name) return entry.read(options, value);
    }
    return false;
  }

 private:
  struct Entry {
    std::string name;
    std::function<void(Options&)> apply;
    std::function<std::string(const Options&)> toml, plain;
    std::function<bool(Options&, const std::string&)> read;
  };
  CLI::App& command_;
  Options defaults_;
  std::vector<Entry> entries_;
  std::vector<std::shared_ptr<void>> values_;
};

}  // namespace adasample
