// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/store/provenance.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace adasample {
namespace {

using nlohmann::json;

bool share(const json& a, const json& b) {
  const bool result = share_scenes(a, b);
  EXPECT_EQ(share_scenes(b, a), result) << "the question has no direction";
  return result;
}

TEST(Provenance, SameBytesAreTheSameStore) {
  EXPECT_TRUE(share({{"sha256", "ab"}}, {{"sha256", "ab"}, {"source", "elsewhere"}}));
  EXPECT_FALSE(share({{"sha256", "ab"}}, {{"sha256", "cd"}}));
  EXPECT_FALSE(share(json::object(), json::object()));
  EXPECT_FALSE(share({{"sha256", nullptr}}, {{"sha256", nullptr}}));
}

TEST(Provenance, NamedScenesAreCompared) {
  const json a = {{"source", "HPatches"}, {"scenes", {"i_a", "v_b"}}};
  EXPECT_TRUE(share(a, {{"source", "HPatches"}, {"scenes", {"v_c", "v_b"}}}));
  EXPECT_FALSE(share(a, {{"source", "HPatches"}, {"scenes", {"v_c", "i_d"}}}));
  EXPECT_TRUE(share(a, {{"source", "COLMAP model"}, {"scenes", {"i_a"}}})) << "one picture, read in two ways";
  EXPECT_TRUE(share(a, {{"scenes", {"i_a"}}}));
  EXPECT_FALSE(share(a, {{"source", "HPatches"}}));
  // Neither list of names says anything about a seed.
  EXPECT_FALSE(share({{"source", "x"}, {"scenes", {"a"}}, {"seed", 1}, {"part", "train"}},
                     {{"source", "x"}, {"scenes", {"b"}}, {"seed", 1}, {"part", "train"}}));
}

TEST(Provenance, SeedAndPartMakeSyntheticScenes) {
  const json a = {{"source", "synthetic dead leaves"}, {"seed", 5}, {"part", "train"}, {"scenes", 12}};
  json b = a;
  b["scenes"] = 99;  // how many, not which
  EXPECT_TRUE(share(a, b));
  b["part"] = "heldout";
  EXPECT_FALSE(share(a, b));
  b = a;
  b["seed"] = 6;
  EXPECT_FALSE(share(a, b));
  b = a;
  b["source"] = "photographs";
  EXPECT_FALSE(share(a, b));
  EXPECT_FALSE(share({{"source", "s"}, {"seed", 1}}, {{"source", "s"}, {"seed", 1}})) << "no part is stated";
}

TEST(Provenance, ForeignTypesAreNoCrash) {
  EXPECT_FALSE(share({{"source", 7}, {"scenes", "i_a"}}, {{"source", 7}, {"scenes", json::array()}}));
  EXPECT_FALSE(share({{"source", "s"}, {"scenes", json::object()}}, {{"source", "s"}, {"scenes", {1, nullptr}}}));
}

}  // namespace
}  // namespace adasample
