// SPDX-License-Identifier: Apache-2.0
// Weights that travel: the program's files read by PyTorch and checked by ONNX, PyTorch's read by the program. Needs
// Debian's python3-torch and python3-onnx; what needs no Python is tested in src/adasample/convert.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "adasample/base/files/npy.h"
#include "adasample/model/random_weights.h"
#include "adasample/model/weights.h"
#include "tests/support/program.h"

namespace adasample {
namespace {

using testing::Outcome;

constexpr const char* kPython = "/usr/bin/python3";

class PythonTest : public testing::ProgramTest {
 protected:
  // Whether Python has these modules: "torch, numpy".
  static bool has(const std::string& modules) {
    return std::system(fmt::format("{} -c 'import {}' >/dev/null 2>&1", kPython, modules).c_str()) == 0;
  }
  // A script of tests/python with its arguments, in the folder of this test.
  void python(const std::string& arguments) const {
    const std::string command = fmt::format("cd '{}' && PYTHONDONTWRITEBYTECODE=1 {} '{}/tests/python/'{} 2>python.txt",
                                            folder_.path().string(), kPython, ADASAMPLE_SOURCE_DIR, arguments);
    ASSERT_EQ(std::system(command.c_str()), 0) << read_text(path("python.txt"));
  }

  std::vector<float> rows(const std::string& name) const {
    const NpyFile file(path(name));
    const std::span<const float> values = file.data<float>();
    return {values.begin(), values.end()};
  }
  std::vector<float> describe(const std::string& model, const std::string& more = "") const {
    const Outcome made = run("describe -q --patches s --out " + model + ".npy --model " + model + more);
    EXPECT_EQ(made.code, 0) << made.err;
    return rows(model + ".npy");
  }
};

TEST_F(PythonTest, OnnxChecksItsFiles) {
  save_safetensors(random_weights(l2net(), 1), path("w.safetensors"));
  const std::string to_onnx = "export --model w.safetensors --to onnx ";
  for (const char* opset : {"11", "13", "17"}) {
    const Outcome made = run(fmt::format("{} --opset {} --json --out {}.onnx", to_onnx, opset, opset));
    ASSERT_EQ(made.code, 0) << made.err;
    EXPECT_EQ(made.json()["bytes"], std::filesystem::file_size(path(std::string(opset) + ".onnx")));
  }
  ASSERT_EQ(run(to_onnx + "--batch 4 --out four.onnx").code, 0);
  run(to_onnx + "--out 11.onnx").expect_error(1, {"11.onnx", "already exists"});
  run(to_onnx + "--opset 18 --out x.onnx").expect_error(2, {"opset = 18", "[11, 17]"});
  run("export --model w.safetensors --to pth --opset 18 --out x.pth").expect_error(2, {"--opset", "onnx", "pth"});
  run("export --model w.safetensors --to safetensors --batch 0 --out x").expect_error(2, {"--batch", "onnx"});
  run(to_onnx + "--type float16 --out x.onnx").expect_error(2, {"float16", "safetensors"});
  run("import 11.onnx --out x.safetensors").expect_error(1, {"11.onnx", "ONNX"});
  run("export --model w.safetensors --to caffe --out x").expect_error(2, {"--to", "caffe", "onnx"});
  run("export --model nothing --to pth --out x").expect_error(1, {"nothing"});
  write_file_atomically(path("cut.safetensors"), read_text(path("w.safetensors")).substr(0, 5000));
  for (const char* to : {"onnx", "torchscript", "pth", "safetensors"}) {
    run(fmt::format("export --model cut.safetensors --out x --to {}", to)).expect_error(1, {"cut.safetensors"});
  }
  EXPECT_EQ(names(), (std::vector<std::string>{"11.onnx", "13.onnx", "17.onnx", "cut.safetensors", "four.onnx",
                                               "w.safetensors"}));
  if (!has("onnx")) GTEST_SKIP() << "python3-onnx is not installed";
  for (const char* opset : {"11", "13", "17"}) python(fmt::format("check_onnx.py {}.onnx batch", opset));
  python("check_onnx.py four.onnx 4");
}

TEST_F(PythonTest, Float16IsHalfTheFile) {
  save_safetensors(random_weights(l2net(), 1), path("w.safetensors"));
  store("s", 4, 2);
  ASSERT_EQ(run("export --model w.safetensors --to safetensors --type float16 --out h.safetensors").code, 0);
  EXPECT_LT(std::filesystem::file_size(path("h.safetensors")),
            std::filesystem::file_size(path("w.safetensors")) * 51 / 100);
  const std::vector<float> full = describe("w.safetensors"), half = describe("h.safetensors");
  ASSERT_EQ(half.size(), full.size());
  float largest = 0;
  for (size_t i = 0; i < full.size(); ++i) largest = std::max(largest, std::abs(half[i] - full[i]));
  EXPECT_LE(largest, 1e-3);  // weights are off by at most 2^-11 of themselves, numbers of a descriptor are about 0.1
  EXPECT_GT(largest, 0) << "compared with itself?";
  EXPECT_EQ(run("export --model w.safetensors --to safetensors --out again.safetensors").code, 0);
  EXPECT_EQ(read_text(path("again.safetensors")), read_text(path("w.safetensors")));
}

class Export : public PythonTest {
 protected:
  void SetUp() override {
    static const bool torch = has("torch, numpy");
    if (!torch) GTEST_SKIP() << "python3-torch is not installed";
    save_safetensors(random_weights(l2net(), 1), path("w.safetensors"));
    store("s", 16, 2);
  }

  // The bound is that of fp32 sums in another order; the figure goes into the report.
  static void expect_same(const std::vector<float>& a, const std::vector<float>& b, const std::string& what) {
    ASSERT_EQ(a.size(), b.size());
    ASSERT_FALSE(a.empty());
    float largest = 0;
    for (size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
    RecordProperty(what, fmt::format("{:.2g}", largest));
    fmt::print("{}: largest difference {:.2g}\n", what, largest);
    EXPECT_LE(largest, 1e-5) << what;
    EXPECT_GT(largest, 0) << what << ": compared with itself?";
  }
};

TEST_F(Export, PyTorchLoadsCheckpoints) {
  const Outcome made = run("export --model w.safetensors --to pth --out w.pth --json");
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_EQ(made.json()["bytes"], std::filesystem::file_size(path("w.pth")));
  python("describe.py hardnet w.pth s/patches.npy theirs.npy");
  expect_same(describe("w.safetensors", " --engine reference"), rows("theirs.npy"), "pth");
  ASSERT_EQ(run("import w.pth --out again.safetensors").code, 0);
  const Weights before = load_safetensors(path("w.safetensors")), after = load_safetensors(path("again.safetensors"));
  for (const auto& [name, array] : before.arrays) EXPECT_EQ(after.at(name), array) << name;
}

TEST_F(Export, TorchScript) {
  const Outcome made = run("export --model w.safetensors --to torchscript --out w.pt");
  if (!ADASAMPLE_TEST_TORCH) {
    made.expect_error(1, {"w.pt", "LibTorch"});
    EXPECT_FALSE(std::filesystem::exists(path("w.pt")));
    return;
  }
  ASSERT_EQ(made.code, 0) << made.err;
  python("describe.py torchscript w.pt s/patches.npy theirs.npy");
  expect_same(describe("w.safetensors", " --engine reference"), rows("theirs.npy"), "torchscript");
  run("import w.pt --out again.safetensors").expect_error(1, {"w.pt", "TorchScript"});
}

class Import : public Export {
 protected:
  void SetUp() override {
    Export::SetUp();
    if (!IsSkipped()) python("save_checkpoints.py .");
  }
};

TEST_F(Import, EveryFormOfTorchSave) {
  python("describe.py hardnet nested.pth s/patches.npy theirs.npy");
  const std::vector<float> theirs = rows("theirs.npy");
  for (const std::string name : {"nested", "nested_old", "ordered", "bare_old", "protocol4", "parallel", "double",
                                 "strided", "parameters", "training"}) {
    const Outcome made = run("import " + name + ".pth --json --out " + name + ".safetensors");
    ASSERT_EQ(made.code, 0) << name << ": " << made.err;
    EXPECT_EQ(made.json()["architecture"], "l2net");
    EXPECT_EQ(made.json()["arrays"], name == "bare_old" ? 21 : 28) << name;
    EXPECT_EQ(load_safetensors(path(name + ".safetensors")).at("features.0.weight"),
              load_safetensors(path("nested.safetensors")).at("features.0.weight"))
        << name;
  }
  expect_same(describe("nested_old.safetensors", " --engine reference"), theirs, "import");
  for (const std::string name : {"half", "bfloat"}) {
    ASSERT_EQ(run("import " + name + ".pth --out " + name + ".safetensors").code, 0) << name;
    const std::vector<float> coarse = describe(name + ".safetensors");
    for (size_t i = 0; i < coarse.size(); ++i) ASSERT_NEAR(coarse[i], theirs[i], 0.02) << name;
  }
}

TEST_F(Import, TFeatRuns) {
  python("describe.py tfeat tfeat.params s/patches.npy theirs.npy");
  for (const std::string name : {"tfeat", "tfeat_old"}) {
    const Outcome made = run("import " + name + ".params --json --out " + name + ".safetensors");
    ASSERT_EQ(made.code, 0) << made.err;
    EXPECT_EQ(made.json()["architecture"], "tfeat");
    expect_same(describe(name + ".safetensors"), rows("theirs.npy"), name);
  }
  const Outcome scored = run("eval patches -q --data s --pairs 20 --model tfeat.safetensors --json");
  ASSERT_EQ(scored.code, 0) << scored.err;
  EXPECT_EQ(scored.json()["engine"], ADASAMPLE_TEST_TORCH ? "torch" : "reference");
  const std::string tfeat = " --model tfeat.safetensors ";
  const Outcome other = run("describe -q --patches s --engine simd --out simd.npy" + tfeat);
  EXPECT_EQ(other.code, 0) << other.err;
  EXPECT_NE(other.err.find("simd runs l2net only"), std::string::npos) << other.err;
  run("describe --patches s --type uint8 --out d.npy" + tfeat).expect_error(1, {"norm 1", "tfeat"});
  if (ADASAMPLE_TEST_ONEDNN) {  // without it there is nothing to calibrate, and no two engines to compare
    run("calibrate --patches s --out c.safetensors" + tfeat).expect_error(1, {"l2net", "tfeat"});
    run("check" + tfeat).expect_error(1, {"l2net", "tfeat"});
  }
  for (const char* name : {"c.safetensors", "d.npy"}) {
    EXPECT_FALSE(std::filesystem::exists(path(name))) << name;
  }
}

// Weights of each network out to PyTorch's own modules and in again, and run three ways.
TEST_F(Import, OtherNetworksGoOutAndComeBack) {
  for (const std::string name : {"sosnet", "hynet", "tfeat", "geodesc"}) {
    SCOPED_TRACE(name);
    save_safetensors(random_weights(find_network(name), 5), path(name + "_w.safetensors"));
    ASSERT_EQ(run("export --to pth --model " + name + "_w.safetensors --out " + name + "_w.pth").code, 0);
    python("describe.py " + name + " " + name + "_w.pth s/patches.npy theirs.npy");
    const std::vector<float> theirs = rows("theirs.npy");
    const std::vector<float> ours = describe(name + "_w.safetensors", " --engine reference");
    expect_same(ours, theirs, name + " reference");
    ASSERT_EQ(run("import " + name + "_w.pth --out " + name + "_again.safetensors").code, 0);
    if (ADASAMPLE_TEST_TORCH) {
      expect_same(describe(name + "_again.safetensors", " --engine torch"), theirs, name + " torch");
      ASSERT_EQ(run("export --to torchscript --model " + name + "_w.safetensors --out " + name + ".pt").code, 0);
      python("describe.py torchscript-" + name + " " + name + ".pt s/patches.npy script.npy");
      expect_same(ours, rows("script.npy"), name + " torchscript");
      std::filesystem::remove(path("script.npy"));
    }
    ASSERT_EQ(run("export --to onnx --model " + name + "_w.safetensors --out " + name + ".onnx").code, 0);
    if (has("onnx")) python("check_onnx.py " + name + ".onnx batch");
    std::filesystem::remove(path("theirs.npy"));
  }
}

TEST_F(Import, OthersAreRefusedByName) {
  const auto refused = [&](const std::string& name, const std::vector<std::string>& parts) {
    const Outcome made = run("import " + name + " --out x.safetensors");
    SCOPED_TRACE(name);
    made.expect_error(1, parts);
    EXPECT_FALSE(std::filesystem::exists(path("x.safetensors")));
    EXPECT_FALSE(std::filesystem::exists(path("ran")));
  };
  refused("sosnet.pth", {"layers.2.running_mean", "missing"});
  refused("hynet.pth", {"layer1.0.weight", "missing"});
  refused("hardnetps.pth", {"HardNetPS"});
  refused("hardnet8.pth", {"HardNet8"});
  refused("unknown.pth", {"HardNet, L2-Net, SOSNet, HyNet, TFeat or GeoDesc"});
  refused("wide.pth", {"features.0.weight", "[32, 1, 3, 3]", "[32, 3, 3, 3]"});
  refused("number.pth", {"number.pth", "tensors"});
  refused("whole_net.pth", {"networks.HardNet", "state_dict()"});
  for (const char* name : {"hostile.pth", "hostile_old.pth"}) refused(name, {name, "refuses to run", "posix.system"});
  refused("hostile.pickle", {"posix.system"});
  refused("nothing.pth", {"nothing.pth"});
  refused("s/patches.npy", {"patches.npy", "torch.save"});
  run("import nested.pth --out x.pth").expect_error(2, {"x.pth", ".safetensors"});
  run("import nested.pth --out w.safetensors").expect_error(1, {"already exists"});
}

}  // namespace
}  // namespace adasample
