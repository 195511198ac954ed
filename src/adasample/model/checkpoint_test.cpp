// SPDX-License-Identifier: Apache-2.0
#include "adasample/model/checkpoint.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "adasample/base/files/file_io.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

namespace fs = std::filesystem;
using testing::expect_error;

StoredArray floats(std::vector<int64_t> shape, size_t count) {
  return {"F32", std::move(shape), std::string(count * sizeof(float), '\1')};
}

Checkpoint example() {
  Checkpoint c;
  c.state.iteration = 1500;
  c.state.seconds = 0.1;
  c.state.evaluated = 1000;
  c.state.best_iteration = 500;
  c.state.best_score = 1.0 / 3;
  c.state.warned = true;
  c.state.trouble_end = "collapsed";
  c.state.trouble = "a \"reason\"\nof two lines";
  c.state.average_mass = 0.25;
  c.state.log_bytes = {{"metrics.jsonl", 123}};
  c.state.configuration = {{"lambda", "inf"}, {"share", {1.0, 2.5}}};
  c.state.environment = {{"threads", 2}};
  c.network = {{"w", floats({2, 3}, 6)}};
  c.optimiser = {{"momentum.w", floats({2, 3}, 6)}, {"l_avg", {"F64", {}, std::string(8, '\2')}}};
  return c;
}

TEST(Checkpoint, RoundTripIsExact) {
  const testing::TempFolder folder;
  Checkpoint before = example();
  for (const bool averaged : {false, true}) {
    if (averaged) before.average = {{"w", {"F64", {2, 3}, std::string(48, '\3')}}};
    const fs::path path = folder / (averaged ? "b" : "a");
    write_checkpoint(before, path);
    const Checkpoint after = read_checkpoint(path);
    EXPECT_EQ(after.state.json(), before.state.json());
    EXPECT_EQ(after.network, before.network);
    EXPECT_EQ(after.optimiser, before.optimiser);
    EXPECT_EQ(after.average, before.average);
    EXPECT_EQ(fs::exists(path / "average.safetensors"), averaged);
  }
  expect_error([&] { write_checkpoint(before, folder / "a"); }, "already exists");
}

// The average is divided by its mass, in double; counters are cut to whole numbers.
TEST(Checkpoint, WeightsAreTheAverageWhereThereIsOne) {
  Checkpoint c;
  c.state.average_mass = 0.5;
  const auto add = [&](const std::string& name, std::vector<int64_t> shape, double value) {
    size_t count = 1;
    for (const int64_t extent : shape) count *= static_cast<size_t>(extent);
    const std::vector<double> values(count, value);
    c.average[name] = {"F64", std::move(shape),
                       std::string(reinterpret_cast<const char*>(values.data()), count * sizeof(double))};
  };
  for (const ConvLayer& layer : l2net().layers) {
    add(l2net().conv_weight(layer), {layer.out_channels, layer.in_channels, layer.kernel, layer.kernel}, 0.3);
    add(l2net().running_mean(layer), {layer.out_channels}, 0.3);
    add(l2net().running_var(layer), {layer.out_channels}, 0.3);
    add(l2net().batches_tracked(layer), {}, 1.9);
  }
  const Weights weights = c.weights();
  for (const auto& [name, array] : weights.arrays) {
    EXPECT_EQ(array.values.front(), name.ends_with("num_batches_tracked") ? 3.0f : static_cast<float>(0.3 / 0.5))
        << name;
  }
}

TEST(Checkpoint, DamageIsNamed) {
  const testing::TempFolder folder;
  write_checkpoint(example(), folder / "c");
  const fs::path network = folder / "c/network.safetensors", state = folder / "c/state.json";
  const std::string bytes = read_text(network), text = read_text(state);

  std::string flipped = bytes;
  flipped[flipped.size() / 2] ^= 1;
  write_file_atomically(network, flipped);
  expect_error([&] { read_checkpoint(folder / "c"); }, "network.safetensors", "sha256");
  write_file_atomically(network, bytes.substr(0, bytes.size() - 1));
  expect_error([&] { read_checkpoint(folder / "c"); }, "network.safetensors", "sha256");
  fs::remove(network);
  expect_error([&] { read_checkpoint(folder / "c"); }, "network.safetensors", "No such file");
  write_file_atomically(network, bytes);

  for (const std::string& bad :
       {std::string(), std::string("[]"), text.substr(0, text.size() / 2), std::string(1000, '[')}) {
    write_file_atomically(state, bad);
    expect_error([&] { read_checkpoint(folder / "c"); }, "state.json");
  }
}

TEST(Checkpoint, EveryKeyOfTheStateIsChecked) {
  const auto good = example().state.json();
  for (const auto& [key, value] : good.items()) {
    auto bad = good;
    bad.erase(key);
    expect_error([&] { CheckpointState::parse(bad.dump(), "f"); }, key, "f:");
    bad = good;
    bad[key] = nlohmann::json::array({1});
    expect_error([&] { CheckpointState::parse(bad.dump(), "f"); }, key, "f:");
  }
  for (const auto& [key, value] : std::vector<std::pair<std::string, nlohmann::json>>{
           {"iteration", -1}, {"iteration", 1.5}, {"evaluated", -2}, {"format", 2}, {"iteration", 1e300}}) {
    auto bad = good;
    bad[key] = value;
    expect_error([&] { CheckpointState::parse(bad.dump(), "f"); }, key);
  }
}

}  // namespace
}  // namespace adasample
