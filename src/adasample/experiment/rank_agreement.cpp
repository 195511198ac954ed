// SPDX-License-Identifier: Apache-2.0
#include "adasample/experiment/rank_agreement.h"

#include <fmt/format.h>

#include "adasample/base/error.h"
#include "adasample/base/json.h"
#include "adasample/base/text.h"
#include "adasample/engine/c_api.h"

namespace adasample {
namespace {

using nlohmann::json;

// Everything that must be the same, by name.
json to_compare(const RunDescription& description) {
  json all = json::object();
  for (const auto& [name, value] : description.configuration.items()) all["--" + name] = value;
  all["adasample"] = adasample_version();
  all["LibTorch"] = description.environment.value("torch", json());
  const json stores = description.environment.value("data", json::array());
  all["number of --data"] = stores.size();
  for (size_t i = 0; i < stores.size(); ++i) {
    json identity = stores[i];
    identity.erase("path");
    for (const auto& [name, value] : identity.items()) all[fmt::format("{} of --data {}", name, i + 1)] = value;
  }
  return all;
}

std::string text_of(const json& value) { return shown(value.is_string() ? value.get<std::string>() : value.dump()); }

}  // namespace

void check_ranks_agree(Communicator& ranks, const RunDescription& description) {
  const std::vector<std::string> texts = gather_texts(ranks, to_compare(description).dump());
  const auto first = try_parse_json(texts.front());
  for (size_t rank = 1; rank < texts.size(); ++rank) {
    if (texts[rank] == texts.front()) continue;
    const auto other = try_parse_json(texts[rank]);
    std::string what = "something that it cannot say";
    if (first && other && first->is_object() && other->is_object()) {
      for (const auto& [name, value] : first->items()) {
        const json there = other->value(name, json());
        if (there == value) continue;
        what = fmt::format("{} {} where rank 0 has {}", name, text_of(there), text_of(value));
        break;
      }
    }
    ADA_THROW_KIND(kUsage,
                   "[ranks] rank {} ({}) was started with {}: all ranks need the same options, data and version", rank,
                   ranks.place_of(static_cast<int>(rank)), what);
  }
}

}  // namespace adasample
