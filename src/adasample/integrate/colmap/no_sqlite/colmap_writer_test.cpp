// SPDX-License-Identifier: Apache-2.0
#include "adasample/integrate/colmap/colmap_writer.h"

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"

namespace adasample {
namespace {

TEST(ColmapWriter, SaysThatItWasBuiltWithoutSqlite) {
  testing::expect_error([] { open_colmap_writer("a.db"); }, "[colmap] a.db", "needs SQLite", "ADASAMPLE_SQLITE");
}

}  // namespace
}  // namespace adasample
