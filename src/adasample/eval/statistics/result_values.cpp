// SPDX-License-Identifier: Apache-2.0
#include "adasample/eval/statistics/result_values.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "adasample/base/error.h"
#include "adasample/base/json.h"
#include "adasample/base/text.h"

namespace adasample {
namespace {

using nlohmann::json;

std::string keys_of(const json& object) {
  std::string keys;
  constexpr size_t kShown = 12;
  size_t count = 0;
  for (const auto& entry : object.items()) {
    if (count++ == kShown) return keys + ", ..";
    keys += (keys.empty() ? "" : ", ") + shown(entry.key());
  }
  return keys.empty() ? "nothing" : keys;
}

std::vector<std::string> keys_between_dots(std::string_view figure) {
  std::vector<std::string> keys;
  while (!figure.empty()) {
    const size_t dot = figure.find('.');
    keys.emplace_back(figure.substr(0, dot));
    figure = dot == std::string_view::npos ? std::string_view() : figure.substr(dot + 1);
  }
  return keys;
}

// What stands at the end of the path.
const json& follow(const json& object, std::string_view figure, const std::string& name) {
  const json* place = &object;
  for (const std::string& key : keys_between_dots(figure)) {
    ADA_CHECK(place->is_object() && place->contains(key), "[result] {}: expected the key {}, found {}", name,
              shown(key), place->is_object() ? keys_of(*place) : std::string(place->type_name()));
    place = &place->at(key);
  }
  return *place;
}

double number(const json& value, std::string_view figure, const std::string& name) {
  ADA_CHECK(value.is_number(), "[result] {}: expected a number under {}, found {}", name, shown(figure),
            value.is_object() ? "the keys " + keys_of(value) : std::string(value.type_name()));
  return value.get<double>();
}

std::string in_words(const json& value) {
  return shown(value.is_string() ? value.get_ref<const std::string&>() : value.dump());
}

// Whether the first sequence has the figure: the others have the same keys.
bool has_sequence_values(const json& result, const std::string& figure) {
  const auto sequences = result.find("sequences");
  if (sequences == result.end() || !sequences->is_object() || sequences->empty()) return false;
  const json* place = &*sequences->begin();
  for (const std::string& key : keys_between_dots(figure)) {
    if (!place->is_object() || !place->contains(key)) return false;
    place = &place->at(key);
  }
  return true;
}

// Those of `eval patches` and others have a "seed" too, that of their pairs.
std::optional<uint64_t> model_seed(const json& result, const std::string& name) {
  const auto seed = result.find("model_seed");
  if (seed == result.end() || seed->is_null()) return std::nullopt;
  ADA_CHECK(seed->is_number_unsigned(), "[result] {}: expected a whole number under \"model_seed\", found {}", name,
            in_words(*seed));
  return seed->get<uint64_t>();
}

}  // namespace

json parse_result(std::string_view text, const std::string& name) {
  json result = parse_json(text, "[result] " + name);
  ADA_CHECK(result.is_object(), "[result] {}: expected a JSON object, found {} - a result file is what eval writes with --out",
            name, result.type_name());
  return result;
}

std::optional<double> find_value(const json& result, const std::string& figure) {
  const json* place = &result;
  for (const std::string& key : keys_between_dots(figure)) {
    if (!place->is_object() || !place->contains(key)) return std::nullopt;
    place = &place->at(key);
  }
  return place->is_number() ? std::optional(place->get<double>()) : std::nullopt;
}

double result_value(const json& result, const std::string& figure, const std::string& name) {
  return number(follow(result, figure, name), figure, name);
}

std::map<std::string, double> sequence_values(const json& result, const std::string& figure, const std::string& name) {
  const json& sequences = follow(result, "sequences", name);
  ADA_CHECK(sequences.is_object(), "[result] {}: expected an object under \"sequences\", found {}", name,
            sequences.type_name());
  std::map<std::string, double> values;
  for (const auto& [sequence, figures] : sequences.items()) {
    const std::string place = fmt::format("{}, sequence {}", name, shown(sequence));
    const json& value = follow(figures, figure, place);
    if (!value.is_null()) values[sequence] = number(value, figure, place);
  }
  ADA_CHECK(!values.empty(), "[result] {}: no sequence has a number under {}", name, shown(figure));
  return values;
}

ResultRuns result_runs(const std::vector<std::string>& files, const Results& results, const std::string& figure,
                       bool whole) {
  ResultRuns runs;
  const bool sequences = !whole || std::all_of(files.begin(), files.end(), [&](const std::string& file) {
    return has_sequence_values(results.at(file), figure);
  });
  for (const std::string& file : files) {
    const json& result = results.at(file);
    if (whole) runs.values.mean.push_back(result_value(result, figure, file));
    if (sequences) runs.values.sequences.push_back(sequence_values(result, figure, file));
    runs.seeds.push_back(model_seed(result, file));
  }
  return runs;
}

std::vector<std::string> differing_settings(const Results& results) {
  std::vector<std::string> differences;
  for (const std::string key : {"protocol", "split", "dist", "list", "detector", "size", "data_sha256"}) {
    const std::pair<const std::string, json>* first = nullptr;
    for (const auto& entry : results) {
      const json& result = entry.second;
      if (!result.contains(key)) continue;
      if (key == "data_sha256" && !result.contains("model") && !result.contains("descriptors")) continue;
      if (first == nullptr) first = &entry;
      if (result.at(key) == first->second.at(key)) continue;
      differences.push_back(fmt::format("{} differs: {} in {}, {} in {}", key, in_words(first->second.at(key)),
                                        first->first, in_words(result.at(key)), entry.first));
      break;
    }
  }
  return differences;
}

}  // namespace adasample
