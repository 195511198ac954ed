// SPDX-License-Identifier: Apache-2.0
#include "adasample/train/run/json_lines_sink.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

using nlohmann::ordered_json;
using testing::TempFolder;

std::vector<ordered_json> lines_of(const std::filesystem::path& path) {
  std::vector<ordered_json> lines;
  std::istringstream text(read_text(path));
  for (std::string line; std::getline(text, line);) lines.push_back(ordered_json::parse(line));
  return lines;
}

TEST(JsonLinesSink, LinesParseBackInOrder) {
  const TempFolder folder;
  JsonLinesSink sink(folder.path());
  sink.record({.iteration = 0, .values = {{"loss", 0.1}, {"a", 1.0 / 3}}});
  sink.record({.iteration = int64_t{1} << 40, .values = {}});
  sink.flush();
  const std::vector<ordered_json> lines = lines_of(folder / "metrics.jsonl");
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].begin().key(), "iteration");
  EXPECT_EQ(std::next(lines[0].begin()).key(), "loss");
  EXPECT_EQ(lines[0]["a"].get<double>(), 1.0 / 3);
  EXPECT_EQ(lines[1]["iteration"].get<int64_t>(), int64_t{1} << 40);
}

TEST(JsonLinesSink, WhatIsNotFiniteIsNull) {
  const TempFolder folder;
  JsonLinesSink sink(folder.path());
  sink.record({.iteration = 3, .values = {{"nan", NAN}, {"inf", -INFINITY}, {"zero", 0.0}}});
  sink.flush();
  const ordered_json line = lines_of(folder / "metrics.jsonl").at(0);
  EXPECT_TRUE(line["nan"].is_null());
  EXPECT_TRUE(line["inf"].is_null());
  EXPECT_EQ(line["zero"].get<double>(), 0.0);
}

TEST(JsonLinesSink, AResumedRunAppends) {
  const TempFolder folder;
  for (const int64_t iteration : {1, 2}) {
    JsonLinesSink sink(folder.path());
    sink.record({.iteration = iteration, .values = {}});
    sink.flush();
  }
  EXPECT_EQ(lines_of(folder / "metrics.jsonl").size(), 2u);
}

}  // namespace
}  // namespace adasample
