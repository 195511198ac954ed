// SPDX-License-Identifier: Apache-2.0
#include "adasample/train/run/checkpoint_bytes.h"

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"

namespace adasample {
namespace {

Checkpoint some_checkpoint() {
  Checkpoint checkpoint;
  checkpoint.state.iteration = 7;
  checkpoint.state.best_iteration = 3;
  checkpoint.state.configuration = {{"batch", "12"}};
  checkpoint.network["a.weight"] = {"F32",
                                    {1, 2},
                                    std::string("\x00\xFF\x80"
                                                "12345",
                                                8)};
  checkpoint.optimiser["taken"] = {"BOOL", {}, std::string(1, '\1')};
  return checkpoint;
}

TEST(CheckpointBytes, ComeBackAsTheyWere) {
  const Checkpoint before = some_checkpoint(), after = unpack_checkpoint(pack_checkpoint(before));
  EXPECT_EQ(after.state.json(), before.state.json());
  EXPECT_EQ(after.network, before.network);
  EXPECT_EQ(after.optimiser, before.optimiser);
  EXPECT_EQ(after.average, before.average);
}

TEST(CheckpointBytes, AnythingElseIsRefused) {
  const std::string whole = pack_checkpoint(some_checkpoint());
  for (size_t length = 0; length < whole.size(); ++length) {
    testing::expect_error([&] { unpack_checkpoint(whole.substr(0, length)); }, "what rank 0 sent is no checkpoint");
  }
  testing::expect_error([&] { unpack_checkpoint(whole + "x"); }, "what rank 0 sent is no checkpoint");
  testing::expect_error([&] { unpack_checkpoint("\x80"); }, "what rank 0 sent is no checkpoint");  // an empty list
  // Lists in lists: to parse them all would overflow the stack.
  testing::expect_error([&] { unpack_checkpoint(std::string(1000000, '\x81')); }, "what rank 0 sent is no checkpoint");
  testing::expect_error([&] { unpack_checkpoint(std::string(1000000, '\x9f')); }, "what rank 0 sent is no checkpoint");
}

}  // namespace
}  // namespace adasample
