// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/progress.h"

#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

namespace adasample {
namespace {

std::string line(int64_t done, int64_t total, double seconds) {
  return Progress::line("describing", "patches", done, total, seconds);
}

TEST(Progress, ShowsShareRateAndTimeLeft) {
  EXPECT_EQ(line(250, 1000, 2), "describing  25% 250/1000 patches, 125 patches/s, 6 s left");
  EXPECT_EQ(line(1000, 100'000, 1), "describing   1% 1000/100000 patches, 1000 patches/s, 1 min 39 s left");
  EXPECT_EQ(line(1, 10'001, 1), "describing   0% 1/10001 patches, 1 patches/s, 2 h 46 min left");
}

TEST(Progress, ShowsTheTimeTakenAtTheEnd) {
  EXPECT_EQ(line(1000, 1000, 65), "describing 100% 1000/1000 patches, 15.38 patches/s, 1 min 05 s");
}

TEST(Progress, EdgesAreNotNonsense) {
  EXPECT_EQ(line(0, 10, 0), "describing   0% 0/10 patches, 0 patches/s");
  EXPECT_EQ(line(0, 10, 5), "describing   0% 0/10 patches, 0 patches/s");
  EXPECT_EQ(line(0, 0, 1), "describing 100% 0/0 patches, 0 patches/s, 1 s");
  EXPECT_EQ(line(12, 10, 1), "describing 100% 12/10 patches, 12 patches/s, 1 s");
}

TEST(Progress, ShortWorkPrintsNothing) {
  ::testing::internal::CaptureStderr();
  {
    Progress progress("quick", "things", 10);
    progress.add(10, "done");
  }
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST(Progress, WithoutATitleNothingIsDrawnHoweverLong) {
  ::testing::internal::CaptureStderr();
  {
    Progress unseen;
    std::this_thread::sleep_for(std::chrono::milliseconds(1100));  // from the first second on it would be
    unseen.add(1);
  }
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

struct Telling : ProgressWatcher {
  void told(const std::string& title, const std::string& unit, int64_t done, int64_t total) override {
    if (done == enough) throw std::runtime_error("enough");
    lines.push_back(title + " " + std::to_string(done) + "/" + std::to_string(total) + " " + unit);
  }
  int64_t enough = -1;
  std::vector<std::string> lines;
};

TEST(Progress, AWatcherIsToldInPlaceOfTheConsoleAndMayEndTheWork) {
  ::testing::internal::CaptureStderr();
  Telling outer;
  {
    Telling inner;
    Progress progress("describing", "patches", 10);
    std::thread([&] { progress.add(4); }).join();  // told on whichever thread works
    inner.enough = 10;
    EXPECT_THROW(progress.add(6), std::runtime_error);
    EXPECT_EQ(inner.lines, std::vector<std::string>{"describing 4/10 patches"});
  }
  Progress("matching", "images", 2).add(1);
  EXPECT_EQ(outer.lines, std::vector<std::string>{"matching 1/2 images"});
  std::thread([] { Progress("elsewhere", "things", 1).add(1); }).join();
  EXPECT_EQ(outer.lines.size(), 1u);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace adasample
