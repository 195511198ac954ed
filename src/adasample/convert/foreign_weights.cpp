// SPDX-License-Identifier: Apache-2.0
#include "adasample/convert/foreign_weights.h"

#include <algorithm>
#include <cstring>

#include "adasample/base/error.h"
#include "adasample/base/files/mapped_file.h"
#include "adasample/convert/frozen_graph.h"
#include "adasample/convert/pth.h"

namespace adasample {
namespace {

constexpr std::string_view kParallel = "module.";

bool all_begin_with(const Weights& weights, std::string_view prefix) {
  return std::all_of(weights.arrays.begin(), weights.arrays.end(),
                     [prefix](const auto& item) { return item.first.starts_with(prefix); });
}

void take_away(Weights& weights, std::string_view prefix) {
  std::map<std::string, NamedArray> arrays;
  for (auto& [name, array] : weights.arrays) arrays[name.substr(prefix.size())] = std::move(array);
  weights.arrays = std::move(arrays);
}

// What each network has and those before it in the list have not.
struct Mark {
  const char *array, *network, *why;  // why: nullptr for one that runs here
};
constexpr Mark kMarks[] = {
    {"descr.0.weight", "tfeat", nullptr},
    {"layers.1.weight", "sosnet", nullptr},
    {"layer1.2.weight", "hynet", nullptr},
    {"whole.features.0.weight", "cs-l2net", nullptr},
    {"conv6.weight", "geodesc", nullptr},
    {"metric.fc1.weight", "matchnet", nullptr},
    {"conv0/kernel", "GeoDesc by TensorFlow's names", "import geodesc.pb, which also holds the epsilons of its norms"},
    {"components", "HardNet8", "it has one layer more and a projection"},
    {"features.0.bias", "HardNetPS", "its convolutions and batch norms have biases and scales"},
    {"features.1.running_mean", "l2net", nullptr},
};

// The header's length, then the header.
bool begins_as_safetensors(std::string_view bytes) {
  uint64_t header = 0;
  if (bytes.size() <= sizeof header) return false;
  std::memcpy(&header, bytes.data(), sizeof header);
  return header <= bytes.size() - sizeof header && bytes[sizeof header] == '{';
}

}  // namespace

void identify(Weights& weights, const std::string& label) {
  if (all_begin_with(weights, kParallel)) take_away(weights, kParallel);
  const Mark* mark = std::find_if(std::begin(kMarks), std::end(kMarks),
                                  [&](const Mark& m) { return weights.arrays.contains(m.array); });
  ADA_CHECK(mark != std::end(kMarks),
            "[import] {}: expected the weights of HardNet, L2-Net, SOSNet, HyNet, TFeat or GeoDesc, found arrays of a "
            "network not "
            "known here",
            label);
  ADA_CHECK(mark->why == nullptr, "[import] {}: these are weights of {}, which does not run here: {}", label,
            mark->network, mark->why);
  weights.metadata["architecture"] = mark->network;
  weights.check_against(weights.network());
}

Weights load_foreign_weights(const std::filesystem::path& path) {
  const MappedFile file(path, OnLoss::kTolerate);
  const std::string_view bytes(reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size());
  ADA_CHECK(path.extension() != ".onnx",
            "[import] {}: ONNX files are written, not read - import the .pth they came from", path.string());
  if (begins_as_frozen_graph(bytes) || path.extension() == ".pb") {
    Weights weights = geodesc_weights(parse_frozen_graph(bytes, path.string()), path.string());
    ADA_CHECK(!file.lost(), "[import] {}: was truncated or became unreadable while it was read", path.string());
    return weights;
  }
  // What is neither for certain is complained about by the reader that its name asks for.
  const bool torch = begins_as_pth(bytes) || (!begins_as_safetensors(bytes) && path.extension() != ".safetensors");
  Weights weights = torch ? parse_pth(bytes, path.string()) : parse_safetensors(bytes, path.string());
  ADA_CHECK(!file.lost(), "[import] {}: was truncated or became unreadable while it was read", path.string());
  identify(weights, path.string());
  return weights;
}

}  // namespace adasample
