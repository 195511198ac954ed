// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "adasample/base/files/file_io.h"
#include "adasample/experiment/grid/results.h"
#include "tests/support/expect_error.h"

namespace adasample {
namespace {

using nlohmann::json;

std::string seed_text() {
  return read_text(std::string(ADASAMPLE_SOURCE_DIR) + "/tests/fuzz/seeds/results_file_fuzz/small.json");
}

// What json() writes, parse_results() reads: a second round trip changes nothing.
TEST(ResultsFile, ReadsWhatIsWritten) {
  const ExperimentResults results = parse_results(seed_text(), "r");
  ASSERT_EQ(results.tables.size(), 1u);
  ASSERT_EQ(results.tables[0].rows.size(), 3u);
  const ArmResult& b = results.tables[0].rows[2];
  EXPECT_EQ(b.figures.at("fpr95").values, (std::vector<double>{0.08, 0.12}));
  EXPECT_EQ(b.figures.at("fpr95").against->difference, -0.1);
  EXPECT_TRUE(std::isinf(b.figures.at("fpr95").against->interval->high));
  EXPECT_EQ(b.seconds, 2.5);
  const ExperimentResults again = parse_results(results.json().dump(), "again");
  EXPECT_EQ(again.text(), results.text());
  EXPECT_EQ(again.html(), results.html());
}

TEST(ResultsFile, ThePageHasIntervalsAndQualityAgainstSeconds) {
  const std::string page = parse_results(seed_text(), "r").html();
  EXPECT_NE(page.find("data-metric=\"fpr95\""), std::string::npos);
  EXPECT_NE(page.find("data-metric=\"seconds-fpr95\""), std::string::npos);
  // Arm b: 2.5 seconds, 10 %; the reference was not trained and has no dot.
  EXPECT_NE(page.find(R"(data-name="b" data-x="2.5" data-y="10" data-low="8" data-high="12")"), std::string::npos);
  EXPECT_EQ(page.find(R"(data-name="rootsift" data-x)"), std::string::npos);
}

TEST(ResultsFile, NamesWhatIsWrong) {
  json text = json::parse(seed_text());
  text["tables"][0]["rows"][1]["figures"]["fpr95"]["mean"] = "x";
  testing::expect_error([&] { parse_results(text.dump(), "result.json"); }, "result.json", "mean", "number");
  text = json::parse(seed_text());
  text["tables"][0]["rows"][1]["seconds"] = -1;
  testing::expect_error([&] { parse_results(text.dump(), "result.json"); }, "seconds");
  testing::expect_error([&] { parse_results("{\"end\":\"complete\"}", "result.json"); }, "result.json", "title");
}

}  // namespace
}  // namespace adasample
