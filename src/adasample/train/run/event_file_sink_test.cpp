// SPDX-License-Identifier: Apache-2.0
#include "adasample/train/run/event_file_sink.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "adasample/base/bytes/base64.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

// By an independent reader: tests/support/read_events.py.
json read_back(const std::filesystem::path& folder) {
  const std::string command = fmt::format("/usr/bin/python3 -B {}/tests/support/read_events.py {}",
                                          ADASAMPLE_SOURCE_DIR, (folder / EventFileSink::kFile).string());
  std::FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return nullptr;
  std::string text;
  std::array<char, 4096> buffer;
  for (size_t n; (n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) text.append(buffer.data(), n);
  return ::pclose(pipe) == 0 ? json::parse(text) : json();
}

ordered_json picks() {
  ordered_json pick = {{"class", 7}, {"anchor", 1}, {"drawn", 2}};
  for (uint8_t grey : {10, 20, 30, 40}) pick["patches"].push_back(base64_encode(std::vector<uint8_t>(32 * 32, grey)));
  return {{"iteration", 300}, {"histograms", ordered_json::array()}, {"picks", {pick, pick}}};
}

TEST(EventFile, IsReadByAnIndependentParser) {
  if (::access("/usr/bin/python3", X_OK) != 0) GTEST_SKIP() << "needs /usr/bin/python3";
  const testing::TempFolder folder;
  {
    EventFileSink sink(folder.path());
    sink.record({0, {{"loss", 0.75}, {"pairs_per_s", 12345.5}}});
    sink.record({300, {{"loss", -1e-30}, {"l_avg", std::nan("")}, {"lr", INFINITY}}});
    sink.snapshot(picks());
    sink.snapshot({{"iteration", 301}, {"picks", ordered_json::array()}});  // nothing to show: no event
    sink.flush();
    EXPECT_EQ(sink.size(), std::filesystem::file_size(folder / EventFileSink::kFile));
  }
  {  // a run that goes on
    EventFileSink sink(folder.path());
    sink.record({int64_t{1} << 40, {{"val_score", 0.25}}});
  }
  const json events = read_back(folder.path());
  ASSERT_EQ(events.size(), 5u);
  EXPECT_EQ(events[0]["version"], "brain.Event:2");
  const double now = std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  EXPECT_NEAR(events[0]["wall_time"].get<double>(), now, 60);
  EXPECT_EQ(events[1]["step"], 0);
  EXPECT_EQ(events[1]["scalars"], (json{{"training/loss", "0.75"}, {"training/pairs_per_s", "12345.5"}}));
  EXPECT_EQ(events[2]["step"], 300);
  EXPECT_EQ(events[2]["scalars"]["training/l_avg"], "nan");
  EXPECT_EQ(events[2]["scalars"]["training/lr"], "inf");
  EXPECT_EQ(std::stof(events[2]["scalars"]["training/loss"].get<std::string>()), -1e-30f);
  // Four patches of 32 pixels, two pixels between.
  const json strip = {{"width", 4 * 32 + 3 * 2}, {"height", 32}, {"channels", 1}};
  EXPECT_EQ(events[3]["images"], (json{{"picks/0", strip}, {"picks/1", strip}}));
  EXPECT_EQ(events[4]["step"], int64_t{1} << 40);
  EXPECT_EQ(events[4]["scalars"], (json{{"val/score", "0.25"}}));
}

}  // namespace
}  // namespace adasample
