// SPDX-License-Identifier: Apache-2.0
#include "adasample/sampler/policy.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/support/expect_error.h"

namespace adasample {
namespace {

using Form = SamplerPolicy::Exponent;

SamplerPolicy policy_named(const std::string& name, double lambda, std::optional<double> alpha = std::nullopt) {
  return make_sampler_policy(name, lambda, alpha, "distance");
}

TEST(SamplerPolicy, EachNameHasItsExponent) {
  EXPECT_EQ(sampler_names(), (std::vector<std::string>{"adasample", "random", "hardest"}));
  EXPECT_EQ(policy_named("adasample", 7).exponent, Form::kOverAverage);
  EXPECT_EQ(policy_named("adasample", 7).value, 7);
  EXPECT_EQ(policy_named("adasample", 0).exponent, Form::kOverAverage) << "uniform, but measured";
  EXPECT_EQ(policy_named("adasample", std::numeric_limits<double>::infinity()).exponent, Form::kInfinite);
  EXPECT_EQ(policy_named("random", 7).exponent, Form::kZero);
  EXPECT_EQ(policy_named("hardest", 7).exponent, Form::kInfinite);
}

TEST(SamplerPolicy, AlphaWinsOverLambdaAndIsAdaSamplesOwn) {
  for (const double lambda : {10.0, std::numeric_limits<double>::infinity()}) {
    EXPECT_EQ(policy_named("adasample", lambda, 3).exponent, Form::kFixed);
    EXPECT_EQ(policy_named("adasample", lambda, 3).value, 5) << "2 alpha - 1";
    EXPECT_EQ(policy_named("random", lambda, 3).exponent, Form::kZero);
    EXPECT_EQ(policy_named("hardest", lambda, 3).exponent, Form::kInfinite);
  }
}

TEST(SamplerPolicy, WhatIsEmbedded) {
  const auto embedded = [](const std::string& sampler, const std::string& weights) {
    return make_sampler_policy(sampler, 10, std::nullopt, weights).embedded_patches(15);
  };
  EXPECT_EQ(weight_names(), (std::vector<std::string>{"none", "distance", "eq9", "class"}));
  for (const std::string& weights : weight_names()) {
    EXPECT_EQ(embedded("adasample", weights), 15);
    EXPECT_EQ(embedded("hardest", weights), 15);
  }
  EXPECT_EQ(embedded("random", "none"), 0);
  EXPECT_EQ(embedded("random", "distance"), 2);
  EXPECT_EQ(embedded("random", "eq9"), 2) << "Z/m = 1";
  EXPECT_EQ(embedded("random", "class"), 15) << "what else could have been drawn";
  EXPECT_FALSE(policy_named("random", 10).needs_descriptors());
  EXPECT_TRUE(policy_named("adasample", 0).needs_descriptors());
}

TEST(SamplerPolicy, UnknownNameIsRefused) {
  testing::expect_error([] { policy_named("hard", 10); }, "sampler = 'hard'", "adasample, random, hardest");
  testing::expect_error([] { make_sampler_policy("random", 1, std::nullopt, "eq12"); }, "weights = 'eq12'",
                        "none, distance, eq9, class");
}

}  // namespace
}  // namespace adasample
