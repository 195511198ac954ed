// SPDX-License-Identifier: Apache-2.0
#include "adasample/train/run/checkpoint_bytes.h"

#include "adasample/base/error.h"
#include "adasample/base/json.h"

namespace adasample {
namespace {

using nlohmann::json;

json packed(const StoredArrays& arrays) {
  json all = json::object();
  for (const auto& [name, array] : arrays) {
    all[name] = {{"dtype", array.dtype},
                 {"shape", array.shape},
                 {"bytes", json::binary(std::vector<uint8_t>(array.bytes.begin(), array.bytes.end()))}};
  }
  return all;
}

StoredArrays unpacked(const json& all) {
  StoredArrays arrays;
  for (const auto& [name, array] : all.get_ref<const json::object_t&>()) {
    const auto& bytes = array.at("bytes").get_binary();
    arrays[name] = {array.at("dtype"), array.at("shape"), std::string(bytes.begin(), bytes.end())};
  }
  return arrays;
}

}  // namespace

std::string pack_checkpoint(const Checkpoint& checkpoint) {
  std::string bytes;
  json::to_cbor({{"state", checkpoint.state.json().dump()},
                 {"network", packed(checkpoint.network)},
                 {"optimiser", packed(checkpoint.optimiser)},
                 {"average", packed(checkpoint.average)}},
                bytes);
  return bytes;
}

Checkpoint unpack_checkpoint(const std::string& bytes) {
  const std::optional<json> parsed = try_parse_cbor(bytes);
  ADA_CHECK(parsed.has_value(), "[ranks] what rank 0 sent is no checkpoint: expected CBOR");
  try {
    const json& all = *parsed;
    return {CheckpointState::parse(all.at("state").get<std::string>(), "rank 0's checkpoint"),
            unpacked(all.at("network")), unpacked(all.at("optimiser")), unpacked(all.at("average"))};
  } catch (const json::exception& error) {
    ADA_THROW("[ranks] what rank 0 sent is no checkpoint: {}", error.what());
  }
}

}  // namespace adasample
