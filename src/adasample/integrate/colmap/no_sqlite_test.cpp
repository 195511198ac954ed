// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "adasample/integrate/colmap/colmap_database.h"
#include "adasample/integrate/colmap/colmap_writer.h"
#include "tests/support/expect_error.h"

namespace adasample {
namespace {

TEST(ColmapDatabase, SaysThatItWasBuiltWithoutSqlite) {
  EXPECT_FALSE(have_sqlite());
  testing::expect_error([] { open_colmap_keypoints("a.db"); }, "[colmap] a.db", "needs SQLite", "ADASAMPLE_SQLITE");
  testing::expect_error([] { open_colmap_writer("a.db"); }, "[colmap] a.db", "needs SQLite", "ADASAMPLE_SQLITE");
}

}  // namespace
}  // namespace adasample
