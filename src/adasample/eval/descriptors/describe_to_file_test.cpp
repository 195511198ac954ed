// SPDX-License-Identifier: Apache-2.0
#include "adasample/eval/descriptors/describe_to_file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <csignal>
#include <functional>
#include <vector>

#include "adasample/base/files/npy.h"
#include "adasample/base/files/row_writer.h"
#include "adasample/base/interrupt.h"
#include "adasample/base/parallel.h"
#include "adasample/eval/descriptors/patch_rows.h"
#include "tests/support/child.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

namespace fs = std::filesystem;
using testing::expect_error;

// Mean, first and last pixel over 7, after a hook that may do harm.
class Probe : public Descriptor {
 public:
  std::string name() const override { return "probe"; }
  int dimension() const override { return 3; }
  void describe(std::span<const uint8_t> patches, int64_t count, int size, std::span<float> out) override {
    counts.push_back(count);
    if (hook) hook();
    const auto area = static_cast<size_t>(size) * static_cast<size_t>(size);
    for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
      float sum = 0;
      for (const uint8_t pixel : patches.subspan(i * area, area)) sum += pixel;
      out[3 * i] = sum / static_cast<float>(area);
      out[3 * i + 1] = static_cast<float>(patches[i * area]) / 7;
      out[3 * i + 2] = value_of_last.value_or(static_cast<float>(patches[(i + 1) * area - 1]) / 7);
    }
  }
  std::function<void()> hook;
  std::optional<float> value_of_last;
  std::vector<int64_t> counts;
};

class DescribeToFile : public ::testing::Test {
 protected:
  // Patch i of 2 x 2 pixels is i, i / 256, 0, 3 i modulo 256.
  DescribeToFile() {
    std::vector<uint8_t> pixels;
    for (int64_t i = 0; i < kPatches; ++i) {
      for (const int64_t value : {i, i / 256, int64_t{0}, 3 * i}) pixels.push_back(static_cast<uint8_t>(value));
    }
    write_npy(folder_ / "p.npy", pixels, std::vector<int64_t>{kPatches, 2, 2});
    patches_ = PatchArray(folder_ / "p.npy");
  }
  // What is there besides the patches.
  int64_t others() const { return std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()) - 1; }

  static constexpr int64_t kPatches = 2 * 4096 + 5;
  testing::TempFolder folder_;
  PatchArray patches_;
};

TEST_F(DescribeToFile, ARowAPatchInBothFormats) {
  std::vector<float> expected;
  for (int64_t i = 0; i < kPatches; ++i) {
    const int64_t row = i / 256;
    const auto a = static_cast<float>(i % 256), b = static_cast<float>(row), c = static_cast<float>(3 * i % 256);
    for (const float value : {(a + b + c) / 4, a / 7, c / 7}) expected.push_back(value);
  }
  std::vector<int64_t> all(kPatches);
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int64_t>(i);
  for (const char* name : {"d.npy", "d.csv"}) {
    Probe probe;
    describe_to_file(patches_, probe, folder_ / name);
    EXPECT_EQ(probe.counts, (std::vector<int64_t>{4096, 4096, 5})) << "memory is that of a chunk";
    Progress progress("test", "patches", 1);
    EXPECT_EQ(rows_from_file(folder_ / name, kPatches).read(all, progress), expected) << name;
  }
  EXPECT_EQ(others(), 2);
  Probe unasked;
  expect_error([&] { describe_to_file(patches_, unasked, folder_ / "d.npy"); }, "d.npy: already exists");
  EXPECT_TRUE(unasked.counts.empty());
}

// 2^24 pixels at once, at most: 16 patches of 1024 x 1024.
TEST_F(DescribeToFile, LargePatchesComeInSmallerChunks) {
  write_npy(folder_ / "large.npy", std::vector<uint8_t>(size_t{18} << 20, 14), std::vector<int64_t>{18, 1024, 1024});
  Probe probe;
  describe_to_file(PatchArray(folder_ / "large.npy"), probe, folder_ / "d.csv");
  EXPECT_EQ(probe.counts, (std::vector<int64_t>{16, 2}));
  EXPECT_TRUE(read_text(folder_ / "d.csv").ends_with("\n14,2,2\n"));
}

TEST_F(DescribeToFile, AFailureLeavesNothing) {
  Probe probe;
  probe.value_of_last = NAN;
  expect_error([&] { describe_to_file(patches_, probe, folder_ / "d.npy"); }, "the descriptor of patch 0 holds nan");
  probe = Probe();
  probe.hook = [&] {
    EXPECT_EQ(others(), 1) << "written beside its name meanwhile";
    if (probe.counts.size() == 2) ADA_THROW("[probe] gives up");
  };
  expect_error([&] { describe_to_file(patches_, probe, folder_ / "d.csv"); }, "[probe] gives up");
  probe = Probe();
  probe.hook = [&] { fs::resize_file(folder_ / "p.npy", 8192); };
  expect_error([&] { describe_to_file(patches_, probe, folder_ / "d.npy"); }, "[npy]", "p.npy: was truncated");
  EXPECT_EQ(others(), 0);
}

// In a process of its own: a request to stop is never withdrawn.
TEST_F(DescribeToFile, AnInterruptLeavesNothing) {
  const int status = testing::status_of_child([&] {
    catch_interrupts();
    set_thread_count(1);  // a forked child has none of its parent's threads
    Probe probe;
    probe.hook = [] { std::raise(SIGINT); };
    try {
      describe_to_file(patches_, probe, folder_ / "d.npy");
    } catch (const Error& error) {
      return error.kind() == Error::Kind::kInterrupted && probe.counts.size() == 1 ? 42 : 1;
    }
    return 2;
  });
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 42);
  EXPECT_EQ(others(), 0);
}

}  // namespace
}  // namespace adasample
