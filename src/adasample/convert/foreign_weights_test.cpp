// SPDX-License-Identifier: Apache-2.0
#include "adasample/convert/foreign_weights.h"

#include <gtest/gtest.h>

#include <cstring>

#include "adasample/base/files/file_io.h"
#include "adasample/convert/pth.h"
#include "adasample/model/random_weights.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

using testing::expect_error;

Weights only(const std::string& name, const std::vector<int64_t>& shape) {
  int64_t count = 1;
  for (const int64_t extent : shape) count *= extent;
  Weights weights;
  weights.arrays[name] = {shape, std::vector<float>(static_cast<size_t>(count), 0.5f)};
  return weights;
}

Weights tfeat_weights() {
  Weights weights;
  for (const auto& [name, shape] : std::map<std::string, std::vector<int64_t>>{
           {"features.1", {32, 1, 7, 7}}, {"features.4", {64, 32, 6, 6}}, {"descr.0", {128, 4096}}}) {
    weights.arrays.merge(only(name + ".weight", shape).arrays);
    weights.arrays.merge(only(name + ".bias", {shape[0]}).arrays);
  }
  return weights;
}

TEST(ForeignWeights, AreKnownByTheirNames) {
  Weights hardnet = random_weights(l2net(), 1), parallel;
  hardnet.metadata.clear();
  for (const auto& [name, array] : hardnet.arrays) parallel.arrays["module." + name] = array;
  identify(hardnet, "f");
  EXPECT_EQ(hardnet.metadata["architecture"], "l2net");
  identify(parallel, "f");
  EXPECT_EQ(parallel, hardnet);
  for (const char* name : {"tfeat", "sosnet", "hynet", "cs-l2net", "geodesc", "matchnet"}) {
    Weights others = random_weights(find_network(name), 1);
    others.metadata.clear();
    identify(others, "f");
    EXPECT_EQ(others.metadata["architecture"], name);
  }
}

TEST(ForeignWeights, OthersAreRefused) {
  const auto refused = [](Weights weights, const auto&... parts) {
    expect_error([&] { identify(weights, "f.pth"); }, parts...);
  };
  refused(only("layers.1.weight", {1}), "layers.1.weight", "[32, 1, 3, 3]");
  refused(only("layer1.2.weight", {1}), "layer1.0.weight", "missing");
  refused(only("conv0/kernel", {1}), "f.pth", "GeoDesc", "import geodesc.pb");
  refused(only("metric.fc1.weight", {1}), "conv0.weight", "missing");
  refused(only("features.0.bias", {1}), "HardNetPS");
  refused(only("components", {1}), "HardNet8");
  refused(only("classifier.weight", {1}), "HardNet, L2-Net, SOSNet, HyNet, TFeat or GeoDesc");
  refused({}, "f.pth");
  Weights tfeat = tfeat_weights();
  tfeat.arrays["descr.2.weight"] = {{1}, {0.f}};
  refused(tfeat, "descr.2.weight", "tfeat");
  tfeat = tfeat_weights();
  tfeat.arrays["descr.0.bias"].shape = {64};
  refused(tfeat, "descr.0.bias", "[128]", "[64]");
  tfeat = tfeat_weights();
  tfeat.arrays["features.4.weight"].values[7] = NAN;
  refused(tfeat, "features.4.weight", "nan");
  Weights lacking = random_weights(l2net(), 1);
  lacking.arrays.erase("features.19.weight");
  refused(lacking, "features.19.weight");
}

TEST(ForeignWeights, FilesByTheirBytes) {
  const testing::TempFolder folder;
  const Weights weights = random_weights(l2net(), 1);
  write_file_atomically(folder / "net.params", format_pth(weights));
  save_safetensors(weights, folder / "net.safetensors");
  EXPECT_EQ(load_foreign_weights(folder / "net.safetensors"), weights);
  EXPECT_EQ(load_foreign_weights(folder / "net.params").at("features.0.weight"), weights.at("features.0.weight"));
  for (const char* name : {"net.onnx", "net.pth", "bad.safetensors"}) write_file_atomically(folder / name, "rubbish");
  expect_error([&] { load_foreign_weights(folder / "net.onnx"); }, "net.onnx", "ONNX files are written, not read");
  expect_error([&] { load_foreign_weights(folder / "net.pth"); }, "[pth] ", "net.pth", "torch.save");
  expect_error([&] { load_foreign_weights(folder / "bad.safetensors"); }, "[safetensors] ", "bad.safetensors");
  expect_error([&] { load_foreign_weights(folder / "missing.pth"); }, "missing.pth");
}

// Whose header's length spells another format's first bytes, under whatever name.
TEST(ForeignWeights, SafetensorsAreNotTakenForOthers) {
  const testing::TempFolder folder;
  const Weights weights = random_weights(l2net(), 1);
  const std::string plain = format_safetensors(weights);
  uint64_t length = 0;
  std::memcpy(&length, plain.data(), sizeof length);
  for (const uint64_t wanted : {uint64_t{0x10280}, uint64_t{0x14b50}}) {  // "\x80\x02\x01", "PK\x01"
    ASSERT_LT(length, wanted);
    std::string bytes = plain;
    bytes.insert(sizeof length + length, std::string(wanted - length, ' '));
    std::memcpy(bytes.data(), &wanted, sizeof wanted);
    for (const char* name : {"net.safetensors", "net.bin"}) {
      write_file_atomically(folder / name, bytes);
      EXPECT_EQ(load_foreign_weights(folder / name), weights) << name;
      remove_tree(folder / name);
    }
  }
}

TEST(ForeignWeights, CheckpointsUnderAnotherName) {
  const testing::TempFolder folder;
  const std::string golden = ADASAMPLE_SOURCE_DIR "/tests/golden/pth/";
  for (const std::string from : {"nested.pth", "nested_old.pth"}) {  // read as what they are, and then not known
    const auto file = folder / (from + ".safetensors");
    write_file_atomically(file, read_text(golden + from));
    expect_error([&] { load_foreign_weights(file); }, "[import] ", "a network not known here");
  }
}

}  // namespace
}  // namespace adasample
