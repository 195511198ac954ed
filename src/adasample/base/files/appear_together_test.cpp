// SPDX-License-Identifier: Apache-2.0
// Killed at every call: tests/kill_test.cpp.
#include "adasample/base/files/appear_together.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "adasample/base/error.h"
#include "adasample/base/files/file_io.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

class AppearTogetherTest : public ::testing::Test {
 protected:
  // Ends in the middle where `before_main` says so.
  void make_pair(const std::function<void()>& before_main = [] {}) const {
    const AppearTogether together(main_, list_);
    StagedFile first(main_), second(list_);
    first.writer().write("rows");
    second.writer().write("list");
    together.commit(
        second.work(), [&] { second.commit(); },
        [&] {
          EXPECT_TRUE(std::filesystem::exists(list_) && !std::filesystem::exists(main_)) << "the main one comes last";
          before_main();
          first.commit();
        });
  }
  void die_in_the_middle() const {
    const pid_t child = ::fork();
    if (child == 0) make_pair([] { ::_exit(7); });
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_EQ(WEXITSTATUS(status), 7);
    ASSERT_TRUE(std::filesystem::exists(list_) && !std::filesystem::exists(main_));
  }
  int64_t entries() const {
    return std::distance(std::filesystem::directory_iterator(folder_.path()), std::filesystem::directory_iterator());
  }

  testing::TempFolder folder_;
  std::filesystem::path main_ = folder_ / "d.npy", list_ = folder_ / "d.keypoints.csv";
};

TEST_F(AppearTogetherTest, BothAreThereAndNothingElse) {
  make_pair();
  EXPECT_EQ(read_text(main_) + read_text(list_), "rowslist");
  EXPECT_EQ(entries(), 2);
}

TEST_F(AppearTogetherTest, WhereTheMainOneFailsTheOtherGoes) {
  testing::expect_error([&] { make_pair([] { ADA_THROW("no room"); }); }, "no room");
  EXPECT_EQ(entries(), 0);
}

TEST_F(AppearTogetherTest, WhatAKilledOneLeftIsTakenAway) {
  die_in_the_middle();
  const AppearTogether again(main_, list_);
  EXPECT_FALSE(std::filesystem::exists(list_));
  make_pair();
  EXPECT_EQ(entries(), 2);
}

TEST_F(AppearTogetherTest, AnotherFileOfThatNameStays) {
  die_in_the_middle();
  write_file_atomically(list_, "somebody else's");
  const AppearTogether again(main_, list_);
  EXPECT_EQ(read_text(list_), "somebody else's");
}

TEST_F(AppearTogetherTest, WhereBothAreThereBothStay) {
  die_in_the_middle();
  write_file_atomically(main_, "rows");
  const AppearTogether again(main_, list_);
  EXPECT_EQ(read_text(list_), "list");
}

}  // namespace
}  // namespace adasample
