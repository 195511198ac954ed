// SPDX-License-Identifier: Apache-2.0
#include "adasample/eval/statistics/result_values.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/expect_error.h"

namespace adasample {
namespace {

using testing::expect_error;

constexpr const char* kResult = R"({"fpr95": 0.25, "model": "sift", "matching": {"step": 0.5},
  "sequences": {"v_boat": {"mma": {"3": 0.4}}, "i_dome": {"mma": {"3": 0.6}}, "i_dark": {"mma": {"3": null}}}})";

TEST(ResultValues, FollowsKeysBetweenDots) {
  const nlohmann::json result = parse_result(kResult, "r.json");
  EXPECT_EQ(result_value(result, "fpr95", "r"), 0.25);
  EXPECT_EQ(result_value(result, "matching.step", "r"), 0.5);
  const std::map<std::string, double> expected = {{"i_dome", 0.6}, {"v_boat", 0.4}};
  EXPECT_EQ(sequence_values(result, "mma.3", "r"), expected);
}

TEST(ResultValues, OfRuns) {
  const Results results = {
      {"0", parse_result(R"({"model_seed": 3, "x": 1, "sequences": {"i": {"x": 1}, "v": {"x": 2}}})", "0")},
      {"1", parse_result(R"({"seed": 5, "x": 4, "sequences": {"i": {"x": 5}, "v": {"x": 6}}})", "1")},
      {"2", parse_result(R"({"model_seed": null, "x": 7, "sequences": {"i": {"y": 5}}})", "2")},
      {"3", parse_result(R"({"x": 8})", "3")},
      {"bad", parse_result(R"({"x": 8, "model_seed": -1})", "bad")}};
  const ResultRuns two = result_runs({"1", "0"}, results, "x", true);
  EXPECT_EQ(two.values.mean, (std::vector<double>{4, 1}));
  ASSERT_EQ(two.values.sequences.size(), 2u);
  EXPECT_EQ(two.values.sequences[1], (std::map<std::string, double>{{"i", 1}, {"v", 2}}));
  EXPECT_EQ(two.seeds, (Seeds{std::nullopt, 3})) << "the seed of the pairs is not that of the training";
  EXPECT_TRUE(result_runs({"0"}, results, "x", false).values.mean.empty());
  for (const char* other : {"2", "3"}) {
    const ResultRuns some = result_runs({"0", other}, results, "x", true);
    EXPECT_EQ(some.values.mean.size(), 2u);
    EXPECT_TRUE(some.values.sequences.empty()) << "of all or of none";
  }
  expect_error([&] { result_runs({"3"}, results, "x", false); }, "[result] 3", "'sequences'");
  expect_error([&] { result_runs({"0"}, results, "z", true); }, "[result] 0", "'z'");
  expect_error([&] { result_runs({"bad"}, results, "x", true); }, "[result] bad", "model_seed", "'-1'");
}

TEST(ResultValues, WhatDiffersBesideTheMethodIsNamed) {
  using nlohmann::json;
  const json sift = {{"protocol", "HPatches"}, {"split", "a"},         {"dist", "l2"}, {"size", 65},
                     {"model", "sift"},        {"data_sha256", "00ff"}};
  json other = sift;
  other["model"] = "rootsift";
  EXPECT_TRUE(differing_settings({{"a.json", sift}, {"b.json", other}}).empty());
  other["size"] = 32;
  other["data_sha256"] = "11ff";
  other["list"] = "m50.txt";  // the other has none
  const std::vector<std::string> expected = {"size differs: '65' in a.json, '32' in b.json",
                                             "data_sha256 differs: '00ff' in a.json, '11ff' in b.json"};
  EXPECT_EQ(differing_settings({{"a.json", sift}, {"b.json", other}}), expected);
  EXPECT_EQ(differing_settings({{"a.json", sift}, {"a2.json", sift}, {"b.json", other}}).size(), 2u);
  for (const char* key : {"protocol", "split", "dist", "list", "detector"}) {
    json first = sift, second = sift;
    first[key] = "x";
    second[key] = "y";
    EXPECT_EQ(differing_settings({{"1", first}, {"2", second}}),
              std::vector<std::string>{std::string(key) + " differs: 'x' in 1, 'y' in 2"});
  }
  other = sift;
  other["data_sha256"] = "22ff";
  other.erase("model");  // the hash is that of descriptors
  EXPECT_TRUE(differing_settings({{"a.json", sift}, {"b.json", other}}).empty());
  other["descriptors"] = "d.npy";
  EXPECT_EQ(differing_settings({{"a.json", sift}, {"b.json", other}}).size(), 1u);
}

TEST(ResultValues, BadFiles) {
  const nlohmann::json result = parse_result(kResult, "r.json");
  expect_error([&] { result_value(result, "fpr59", "r.json"); }, "[result] r.json", "'fpr59'", "'fpr95'");
  expect_error([&] { result_value(result, "fpr95.low", "r.json"); }, "'low'", "found number");
  expect_error([&] { result_value(result, "matching", "r.json"); }, "a number", "'step'");
  expect_error([&] { result_value(result, "model", "r.json"); }, "a number", "found string");
  expect_error([&] { sequence_values(result, "mma.4", "r.json"); }, "sequence", "'4'", "'3'");
  for (const char* text : {"", "{", "{\"sequences\": nan}", "{}}"}) {
    expect_error([&] { parse_result(text, "bad.json"); }, "[result] bad.json: expected JSON: ");
  }
  for (const char* text : {"[1]", "3"}) {
    expect_error([&] { parse_result(text, "bad.json"); }, "[result] bad.json: expected a JSON object");
  }
  const auto sequences = [](const char* text) { sequence_values(parse_result(text, "b"), "x", "b"); };
  expect_error([&] { sequences("{}"); }, "'sequences'", "found nothing");
  expect_error([&] { sequences(R"({"sequences": [1]})"); }, "an object", "found array");
  expect_error([&] { sequences(R"({"sequences": {"s": 1}})"); }, "'x'", "found number");
  expect_error([&] { sequences(R"({"sequences": {"s": {"x": null}}})"); }, "no sequence");
}

TEST(ResultValues, WhatMayBeMissingIsFoundOrNot) {
  const nlohmann::json result = {{"matching", {{"per", {{"easy", 0.5}}}}}, {"word", "x"}};
  EXPECT_EQ(find_value(result, "matching.per.easy"), 0.5);
  EXPECT_FALSE(find_value(result, "matching.per"));
  EXPECT_FALSE(find_value(result, "matching.per.easy.more"));
  EXPECT_FALSE(find_value(result, "word"));
  EXPECT_FALSE(find_value(result, ""));
}

}  // namespace
}  // namespace adasample
