// SPDX-License-Identifier: Apache-2.0
#include "adasample/eval/scores/pairs_csv.h"

#include <gtest/gtest.h>

#include "adasample/base/files/file_io.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

using testing::expect_error;
using testing::TempFolder;

LabelledDistances parse(const std::string& text) { return parse_pairs_csv(text, "p.csv"); }

template <typename... Parts>
void expect_refused(const std::string& text, const Parts&... parts) {
  expect_error([&] { parse(text); }, "[pairs] p.csv", parts...);
}

void expect_two_pairs(const std::string& text) {
  SCOPED_TRACE(text);
  const LabelledDistances pairs = parse(text);
  EXPECT_EQ(pairs.labels, (std::vector<uint8_t>{1, 0}));
  EXPECT_EQ(pairs.distances, (std::vector<double>{0.25, 1.5}));
}

TEST(PairsCsv, ReadsEveryUsualForm) {
  expect_two_pairs("1,0.25\n0,1.5\n");
  expect_two_pairs("1,0.25\n0,1.5");
  expect_two_pairs("label,distance\n1,0.25\n0,1.5\n");
  expect_two_pairs("label,distance\r\n1,0.25\r\n0,1.5\r\n");
  expect_two_pairs("1, 0.25\n 0 ,\t1.5e0 \n\n \r\n\n");
}

TEST(PairsCsv, ReadsAFile) {
  const TempFolder folder;
  write_file_atomically(folder / "p.csv", "1,0.5\n0,1\n");
  EXPECT_EQ(read_pairs_csv(folder / "p.csv").labels.size(), 2u);
  expect_error([&] { read_pairs_csv(folder / "q.csv"); }, "q.csv", "No such file");
}

TEST(PairsCsv, RefusesBadLines) {
  expect_refused("1,0.5\n0;1.5\n", ":2:", "'label,distance'", "'0;1.5'");
  expect_refused("1,0.5\n\n0,1\n", ":2:", "''");
  expect_refused("1,0.5\nlabel,distance\n", ":2:", "label 0 or 1", "'label'");
  expect_refused("2,0.5\n", ":1:", "label 0 or 1", "'2'");
  expect_refused("-1,0.5\n", ":1:", "'-1'");
  expect_refused("nan,0.5\n", ":1:", "'nan'");
  expect_refused("01,0.5\n", ":1:", "'01'");
  expect_refused(",0.5\n", ":1:", "label", "''");
  expect_refused("1,0.5,3\n", ":1:", "label,distance", "'1,0.5,3'");
  for (const std::string distance : {"", "x", "0.5x", "nan", "inf", "-inf", "1e999", "0x1p3"}) {
    expect_refused("1," + distance + "\n0,1\n", ":1:", "finite distance", "'" + distance + "'");
  }
}

TEST(PairsCsv, MessagesStayShortAndPrintable) {
  expect_refused(std::string("\x01\xFF\x7F", 3), "'" + std::string(3, '?') + "'");
  expect_refused(std::string(1000, 'x'), "'" + std::string(40, 'x') + "...'");
}

TEST(PairsCsv, RefusesOneKindOnly) {
  expect_refused("", "found none");
  expect_refused(" \n\n", "found none");
  expect_refused("label,distance\n", "found none");
  expect_refused("1,0.5\n1,0.6\n", "no pair of label 0 among 2");
  expect_refused("0,0.5\n", "no pair of label 1 among 1");
}

TEST(PairScores, KnownFigures) {
  const LabelledDistances pairs = parse("1,0.1\n0,0.2\n1,0.3\n0,0.4\n");
  const PairScores scores = score_pairs(pairs.labels, pairs.distances);
  EXPECT_EQ(scores.positives, 2);
  EXPECT_EQ(scores.negatives, 2);
  EXPECT_DOUBLE_EQ(scores.fpr95.value, 0.5);
  EXPECT_DOUBLE_EQ(scores.ap, (1.0 + 2.0 / 3) / 2);
  EXPECT_DOUBLE_EQ(scores.ap_trapezoid, (1.0 + (1.0 / 2 + 2.0 / 3) / 2) / 2);
  EXPECT_DOUBLE_EQ(scores.auc, 0.75);
}

}  // namespace
}  // namespace adasample
