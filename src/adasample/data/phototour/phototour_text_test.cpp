// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/phototour/phototour_text.h"

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"
#include "tests/support/golden.h"
#include "tests/support/phototour_set.h"

namespace adasample {
namespace {

using testing::expect_error;
using testing::golden_ubc_text;

TEST(PhotoTourText, ReadsTheGoldenFiles) {
  const nlohmann::json expected = testing::golden("ubc/expected.json");
  EXPECT_EQ(parse_phototour_info(golden_ubc_text("info.txt"), "info.txt"),
            expected["labels"].get<std::vector<int64_t>>());
  const PatchPairs pairs = parse_phototour_matches(golden_ubc_text("m50_100000_100000_0.txt"), 300, "m50");
  nlohmann::json found = nlohmann::json::array();
  for (size_t i = 0; i < pairs.labels.size(); ++i) found.push_back({pairs.first[i], pairs.second[i], pairs.labels[i]});
  EXPECT_EQ(found, expected["matches_(i,j,label)"]);
}

TEST(PhotoTourText, BlanksAndLineEndsDoNotMatter) {
  EXPECT_EQ(parse_phototour_info("7 0 \r\n-3\t0\r\n7  0", "i"), (std::vector<int64_t>{7, -3, 7}));
  EXPECT_EQ(parse_phototour_info("7\n7\n\n\n", "i"), (std::vector<int64_t>{7, 7}));
  EXPECT_EQ(parse_phototour_interest("2 10.5 3.25 0.1 2\n0 1 1 1 1\n", "i"), (std::vector<int64_t>{2, 0}));
}

TEST(PhotoTourText, LabelsAreComparedAsText) {
  EXPECT_EQ(parse_phototour_matches("0 7 0 1 7 0\n0 7 0 1 07 0\n0 a 0 1 a 0\n", 2, "m").labels,
            (std::vector<uint8_t>{1, 0, 1}));
}

TEST(PhotoTourText, ComplaintsNameFileAndLine) {
  const auto info = [](const char* text, const std::string& why) {
    expect_error([&] { parse_phototour_info(text, "d/info.txt"); }, "[phototour] d/info.txt", why);
  };
  info("", "expected a line a patch or pair, found none");
  info(" \n\n", "found none");
  info("0 0\n1 0\n1", ":3: expected 2 fields as in line 1, found 1 - truncated download?");
  info("0 0\n\n1 0\n", ":2: expected 2 fields as in line 1, found 0");
  info("0 0\n<html> x\n", ":2: expected a point id, found '<html>'");
  info("0.5 0\n", ":1: expected a point id, found '0.5'");
  info("99999999999999999999 0\n", ":1: expected a point id");
  expect_error([] { parse_phototour_interest("x 1\n", "interest.txt"); }, "interest.txt:1: expected an image id");

  const auto matches = [](const char* text, const std::string& why) {
    expect_error([&] { parse_phototour_matches(text, 10, "m50.txt"); }, "[phototour] m50.txt", why);
  };
  matches("", "found none");
  matches("0 0 0 1\n", ":1: expected 5 fields or more, found 4");
  matches("0 0 0 1 0 0\n2 1 0 10 1 0\n", ":2: expected a patch number below 10, found 10 - a list of another set?");
  matches("0 0 0 -1 0 0\n", ":1: expected a patch number below 10, found -1");
  matches("one 0 0 1 0 0\n", ":1: expected a patch number, found 'one'");
  matches("0 0 0 1 0 0\n0 0 0 1 0\n", ":2: expected 6 fields as in line 1, found 5");
}

}  // namespace
}  // namespace adasample
