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

TEST(ResultValues, PairsBySequenceName) {
  const auto [a, b] = pair_by_sequence({{"x", 1}, {"y", 2}}, {{"y", 20}, {"x", 10}});
  EXPECT_EQ(a, (std::vector<double>{1, 2}));
  EXPECT_EQ(b, (std::vector<double>{10, 20}));
  expect_error([] { pair_by_sequence({{"x", 1}, {"y", 2}}, {{"x", 1}}); }, "'y'", "first side only");
  expect_error([] { pair_by_sequence({{"x", 1}}, {{"x", 1}, {"z", 2}}); }, "'z'", "second side only");
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
  for (const char* text : {"", "{", "[1]", "3", "{\"sequences\": nan}", "{}}"}) {
    expect_error([&] { parse_result(text, "bad.json"); }, "[result] bad.json", "expected a JSON object");
  }
  const auto sequences = [](const char* text) { sequence_values(parse_result(text, "b"), "x", "b"); };
  expect_error([&] { sequences("{}"); }, "'sequences'", "found nothing");
  expect_error([&] { sequences(R"({"sequences": [1]})"); }, "an object", "found array");
  expect_error([&] { sequences(R"({"sequences": {"s": 1}})"); }, "'x'", "found number");
  expect_error([&] { sequences(R"({"sequences": {"s": {"x": null}}})"); }, "no sequence");
}

}  // namespace
}  // namespace adasample
