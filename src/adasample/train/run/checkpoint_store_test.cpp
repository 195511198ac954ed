// SPDX-License-Identifier: Apache-2.0
#include "adasample/train/run/checkpoint_store.h"

#include <gtest/gtest.h>

#include "adasample/base/error.h"
#include "adasample/base/files/file_io.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"
#include "tests/support/warnings.h"

namespace adasample {
namespace {

namespace fs = std::filesystem;
using Kept = std::vector<int64_t>;

Checkpoint checkpoint_at(int64_t iteration, int64_t best = -1) {
  Checkpoint c;
  c.state.iteration = iteration;
  c.state.best_iteration = best;
  c.network = {{"w", {"F32", {1}, std::string(4, static_cast<char>(iteration))}}};
  return c;
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

TEST(KeptCheckpoints, TheLastTheBestAndOneEveryN) {
  EXPECT_EQ(kept_checkpoints({}, {}), Kept());
  EXPECT_EQ(kept_checkpoints({{0, -1}, {10, -1}, {20, -1}}, {1, 0}), Kept({20}));
  EXPECT_EQ(kept_checkpoints({{0, -1}, {10, -1}, {20, -1}}, {2, 0}), Kept({10, 20}));
  EXPECT_EQ(kept_checkpoints({{0, -1}, {10, -1}, {20, -1}, {30, -1}}, {1, 10}), Kept({10, 20, 30}));
  EXPECT_EQ(kept_checkpoints({{5, 5}, {10, 5}, {20, 20}, {30, 30}}, {1, 10}), Kept({5, 10, 20, 30}));
  EXPECT_EQ(kept_checkpoints({{0, -1}, {10, 10}, {20, 10}, {30, 10}}, {1, 0}), Kept({10, 30}));
  // 20 may be resumed from when 30 turns out damaged, and then its best is needed.
  EXPECT_EQ(kept_checkpoints({{10, 10}, {20, 10}, {30, 30}}, {2, 0}), Kept({10, 20, 30}));
  EXPECT_EQ(kept_checkpoints({{10, 10}, {20, 10}, {30, 30}, {40, 30}}, {2, 0}), Kept({30, 40}));
}

TEST(CheckpointStore, WritesKeepsAndFindsTheNewest) {
  const testing::TempFolder folder;
  {
    CheckpointStore store(folder / "c");
    store.keep({1, 0});
    EXPECT_FALSE(store.newest());
    int before = 0;
    for (const int64_t t : {0, 5, 10}) store.write(checkpoint_at(t, t == 0 ? -1 : 5), [&] { ++before; });
    store.wait();
    EXPECT_EQ(before, 3);
    EXPECT_EQ(names_in(folder / "c"), (std::vector<std::string>{"step_000000005", "step_000000010"}));
  }
  fs::create_directories(folder / "c/.step_000000015.writing-1/x");
  fs::create_directories(folder / "c/..step_000000010.next.writing-1/x");
  fs::create_directories(folder / "c/.step_000000010.old/x");  // replaced; its successor has its name
  CheckpointStore store(folder / "c");
  EXPECT_EQ(store.newest()->state.iteration, 10);
  EXPECT_EQ(names_in(folder / "c").size(), 2u) << "what was half written is gone";
  EXPECT_EQ(store.read(5).network, checkpoint_at(5).network);
  store.keep({1, 0});
  store.write(checkpoint_at(20, 5), [] {});
  store.wait();
  EXPECT_EQ(names_in(folder / "c"), (std::vector<std::string>{"step_000000005", "step_000000020"}));
}

// Killed between the two renames of a file system that cannot exchange names.
TEST(CheckpointStore, OneThatLostItsNameGetsItBack) {
  const testing::TempFolder folder;
  {
    CheckpointStore store(folder / "c");
    store.write(checkpoint_at(5), [] {});
  }
  fs::rename(folder / "c/step_000000005", folder / "c/.step_000000005.old");
  EXPECT_EQ(CheckpointStore(folder / "c").newest()->state.iteration, 5);
  EXPECT_EQ(names_in(folder / "c"), (std::vector<std::string>{"step_000000005"}));
}

TEST(CheckpointStore, ADamagedOneIsSetAside) {
  const testing::TempFolder folder;
  {
    CheckpointStore store(folder / "c");
    store.write(checkpoint_at(5), [] {});
    store.write(checkpoint_at(10), [] {});
  }
  write_file_atomically(folder / "c/step_000000010/network.safetensors", "rubbish");
  CheckpointStore store(folder / "c");
  EXPECT_EQ(store.newest()->state.iteration, 5);
  EXPECT_EQ(testing::take_warnings().size(), 1u);
  EXPECT_EQ(names_in(folder / "c"), (std::vector<std::string>{"step_000000005", "step_000000010.damaged"}));
}

// A checkpoint of the same iteration is replaced: it may have been evaluated, or called otherwise, since.
TEST(CheckpointStore, OneOfTheSameIterationIsReplaced) {
  const testing::TempFolder folder;
  CheckpointStore store(folder / "c");
  store.write(checkpoint_at(5), [] {});
  store.write(checkpoint_at(10, 5), [] {});
  store.write(checkpoint_at(10, 10), [] {});
  store.keep({1, 0});
  store.write(checkpoint_at(10, 10), [] {});
  store.wait();
  EXPECT_EQ(names_in(folder / "c"), (std::vector<std::string>{"step_000000010"}));
  EXPECT_EQ(CheckpointStore(folder / "c").newest()->state.best_iteration, 10);
}

// What is whole but not ours to read is left alone, and so is what comes before it.
TEST(CheckpointStore, AnotherFormatIsRefusedNotSetAside) {
  const testing::TempFolder folder;
  {
    CheckpointStore store(folder / "c");
    store.write(checkpoint_at(5), [] {});
    store.wait();
  }
  const fs::path state = folder / "c/step_000000005/state.json";
  nlohmann::json json = nlohmann::json::parse(read_text(state));
  json["format"] = 2;
  write_file_atomically(state, json.dump());
  testing::expect_error([&] { CheckpointStore(folder / "c").newest(); }, "format 2, this program reads 1");
  EXPECT_EQ(names_in(folder / "c"), (std::vector<std::string>{"step_000000005"}));
}

TEST(CheckpointStore, WhatFailsInTheBackgroundIsThrown) {
  const testing::TempFolder folder;
  CheckpointStore store(folder / "c");
  store.write(checkpoint_at(5), [] {});
  store.wait();
  store.write(checkpoint_at(10), [] { ADA_THROW("[test] no room"); });
  testing::expect_error([&] { store.wait(); }, "no room", "--resume");
  EXPECT_EQ(store.newest()->state.iteration, 5);
  EXPECT_NO_THROW(store.check()) << "once";
}

}  // namespace
}  // namespace adasample
