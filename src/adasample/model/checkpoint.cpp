// SPDX-License-Identifier: Apache-2.0
#include "adasample/model/checkpoint.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "adasample/base/bytes/sha256.h"
#include "adasample/base/error.h"
#include "adasample/base/files/file_io.h"
#include "adasample/base/json.h"
#include "adasample/model/tensor_table.h"

namespace adasample {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int kFormat = 1;
constexpr const char* kNetwork = "network.safetensors";
constexpr const char* kOptimiser = "optimiser.safetensors";
constexpr const char* kAverage = "average.safetensors";

std::string sha256_of(std::string_view bytes) {
  Sha256 hash;
  hash.update(bytes);
  return hash.hex();
}

// Inside a folder that nobody sees yet.
void write_file(const fs::path& path, std::string_view bytes) {
  FileWriter writer(path);
  writer.write(bytes);
  writer.close();
}

std::string format_arrays(const StoredArrays& arrays) {
  TensorTable table;
  for (const auto& [name, array] : arrays) table.tensors[name] = {array.dtype, array.shape, array.bytes};
  return format_tensor_table(table);
}

// Reads a file whose sha256 is known.
StoredArrays read_arrays(const fs::path& path, const std::string& sha256) {
  const std::string bytes = read_text(path);
  ADA_CHECK(sha256_of(bytes) == sha256, "[checkpoint] {}: its bytes are not those that were written (sha256)",
            path.string());
  StoredArrays arrays;
  for (const auto& [name, view] : parse_tensor_table(bytes, path.string()).tensors) {
    arrays[name] = {std::string(view.dtype), view.shape, std::string(view.bytes)};
  }
  return arrays;
}

template <typename Value>
std::vector<Value> values_of(const StoredArray& array) {
  std::vector<Value> values(array.bytes.size() / sizeof(Value));
  std::memcpy(values.data(), array.bytes.data(), values.size() * sizeof(Value));
  return values;
}

NamedArray to_named(const StoredArray& array, double divisor, bool whole) {
  NamedArray named{array.shape, {}};
  if (array.dtype == "F32") {
    named.values = values_of<float>(array);
  } else if (array.dtype == "F64") {
    for (const double sum : values_of<double>(array)) {
      const double value = sum / divisor;
      named.values.push_back(static_cast<float>(whole ? std::trunc(value) : value));
    }
  } else {
    ADA_CHECK(array.dtype == "I64", "[checkpoint] an array of dtype {}, expected F32, F64 or I64", array.dtype);
    for (const int64_t value : values_of<int64_t>(array)) named.values.push_back(static_cast<float>(value));
  }
  return named;
}

// state.json with its sums of the other files.
struct StateFile {
  CheckpointState state;
  std::map<std::string, std::string> sha256;
};

class StateReader {
 public:
  StateReader(const json& object, const std::string& label) : object_(object), label_(label) {}

  const json& at(const char* key) const {
    const auto found = object_.find(key);
    ADA_CHECK(found != object_.end(), "[checkpoint] {}: \"{}\" is missing", label_, key);
    return *found;
  }
  int64_t whole(const char* key, int64_t low) const {
    const json& value = at(key);
    ADA_CHECK(
        value.is_number_integer() && value.get<double>() >= static_cast<double>(low) && value.get<double>() <= 0x1p53,
        "[checkpoint] {}: \"{}\" must be a whole number of {} or more", label_, key, low);
    return value.get<int64_t>();
  }
  double number(const char* key) const {
    ADA_CHECK(at(key).is_number(), "[checkpoint] {}: \"{}\" must be a number", label_, key);
    return at(key).get<double>();
  }
  std::string text(const char* key) const {
    ADA_CHECK(at(key).is_string(), "[checkpoint] {}: \"{}\" must be a string", label_, key);
    return at(key).get<std::string>();
  }
  bool flag(const char* key) const {
    ADA_CHECK(at(key).is_boolean(), "[checkpoint] {}: \"{}\" must be true or false", label_, key);
    return at(key).get<bool>();
  }
  const json& object(const char* key) const {
    ADA_CHECK(at(key).is_object(), "[checkpoint] {}: \"{}\" must be an object", label_, key);
    return at(key);
  }

 private:
  const json& object_;
  const std::string& label_;
};

json parse_object(std::string_view text, const std::string& label) {
  ADA_CHECK(!is_too_deep(text, 8), "[checkpoint] {}: nested deeper than anything we write", label);
  json object;
  try {
    object = json::parse(text);
  } catch (const json::exception&) {
    ADA_THROW("[checkpoint] {}: is no JSON", label);
  }
  ADA_CHECK(object.is_object(), "[checkpoint] {}: expected a JSON object, found {}", label, object.type_name());
  return object;
}

CheckpointState state_from(const json& object, const std::string& label) {
  const StateReader read(object, label);
  ADA_CHECK(read.whole("format", 0) == kFormat, "[checkpoint] {}: format {}, this program reads {}", label,
            read.whole("format", 0), kFormat);
  CheckpointState state;
  state.iteration = read.whole("iteration", 0);
  state.seconds = read.number("seconds");
  state.evaluated = read.whole("evaluated", -1);
  state.best_iteration = read.whole("best_iteration", -1);
  state.best_score = read.number("best_score");
  state.skipped_in_a_row = static_cast<int>(std::min<int64_t>(read.whole("skipped_in_a_row", 0), 1 << 30));
  state.warned = read.flag("warned");
  state.trouble_end = read.text("trouble_end");
  state.trouble = read.text("trouble");
  state.average_mass = read.number("average_mass");
  ADA_CHECK(state.average_mass >= 0 && state.average_mass <= 1, "[checkpoint] {}: \"average_mass\" must be in [0, 1]",
            label);
  const json& log_bytes = read.object("log_bytes");
  const StateReader logs(log_bytes, label);
  for (const auto& [name, bytes] : log_bytes.items()) {
    state.log_bytes[name] = static_cast<uint64_t>(logs.whole(name.c_str(), 0));
  }
  state.configuration = read.object("configuration");
  state.environment = read.object("environment");
  if (object.contains("network")) state.network = read.text("network");
  return state;
}

StateFile read_state(const fs::path& path) {
  const json object = parse_object(read_text(path, kMostJson), path.string());
  StateFile file{state_from(object, path.string()), {}};
  for (const auto& [name, sum] : StateReader(object, path.string()).object("sha256").items()) {
    ADA_CHECK(sum.is_string(), "[checkpoint] {}: the sha256 of {} must be a string", path.string(), json(name).dump());
    file.sha256[name] = sum.get<std::string>();
  }
  return file;
}

}  // namespace

nlohmann::ordered_json CheckpointState::json() const {
  nlohmann::ordered_json object = {{"format", kFormat},
                                   {"iteration", iteration},
                                   {"seconds", seconds},
                                   {"evaluated", evaluated},
                                   {"best_iteration", best_iteration},
                                   {"best_score", best_score},
                                   {"skipped_in_a_row", skipped_in_a_row},
                                   {"warned", warned},
                                   {"trouble_end", trouble_end},
                                   {"trouble", trouble},
                                   {"average_mass", average_mass},
                                   {"log_bytes", log_bytes},
                                   {"configuration", configuration},
                                   {"environment", environment}};
  if (network != l2net().name) object["network"] = network;
  return object;
}

CheckpointState CheckpointState::parse(std::string_view text, const std::string& label) {
  return state_from(parse_object(text, label), label);
}

Weights Checkpoint::weights() const {
  Weights weights;
  weights.metadata["architecture"] = state.network;
  ADA_CHECK(average.empty() == (state.average_mass == 0),
            "[checkpoint] an average of the weights and its mass belong together");
  for (const auto& [name, array] : average.empty() ? network : average) {
    // An average of counters is cut to a whole number, as the module's own counter would be.
    weights.arrays[name] = to_named(array, state.average_mass, name.ends_with("num_batches_tracked"));
  }
  weights.check_against(weights.network());
  return weights;
}

void write_checkpoint(const Checkpoint& checkpoint, const fs::path& folder) {
  StagedFolder staged(folder);
  nlohmann::ordered_json state = checkpoint.state.json();
  const auto add = [&](const char* name, const StoredArrays& arrays) {
    const std::string bytes = format_arrays(arrays);
    write_file(staged.work() / name, bytes);
    state["sha256"][name] = sha256_of(bytes);
  };
  add(kNetwork, checkpoint.network);
  add(kOptimiser, checkpoint.optimiser);
  if (!checkpoint.average.empty()) add(kAverage, checkpoint.average);
  write_file(staged.work() / "state.json", state.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  staged.commit();
}

std::optional<std::string> checkpoint_damage(const fs::path& folder) {
  const fs::path state = folder / "state.json";
  if (!fs::exists(state)) return fmt::format("{} is missing", state.string());
  const nlohmann::json object = try_parse_json(read_text(state, kMostJson)).value_or(nullptr);
  if (!object.is_object() || !object.contains("format") || !object.contains("sha256")) {
    return fmt::format("{} is not what was written", state.string());
  }
  if (object["format"] != kFormat || !object["sha256"].is_object()) return std::nullopt;  // reading it says what it is
  for (const auto& [name, sum] : object["sha256"].items()) {
    const fs::path file = folder / fs::path(name).filename();
    if (!fs::exists(file)) return fmt::format("{} is missing", file.string());
    if (sum != sha256_of(read_text(file))) return fmt::format("the bytes of {} are not those written", file.string());
  }
  return std::nullopt;
}

Checkpoint read_checkpoint(const fs::path& folder) {
  StateFile file = read_state(folder / "state.json");
  const auto sum = [&](const char* name) {
    const auto found = file.sha256.find(name);
    ADA_CHECK(found != file.sha256.end(), "[checkpoint] {}: names no {}", (folder / "state.json").string(), name);
    return found->second;
  };
  Checkpoint checkpoint{std::move(file.state), {}, {}, {}};
  checkpoint.network = read_arrays(folder / kNetwork, sum(kNetwork));
  checkpoint.optimiser = read_arrays(folder / kOptimiser, sum(kOptimiser));
  if (file.sha256.contains(kAverage)) checkpoint.average = read_arrays(folder / kAverage, sum(kAverage));
  return checkpoint;
}

}  // namespace adasample
