// SPDX-License-Identifier: Apache-2.0
#include "adasample/sampler/policy.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/support/expect_error.h"

namespace adasample {
namespace {

using Form = SamplerPolicy::Exponent;

SamplerPolicy policy_named(const std::string& name, double lambda, std::optional<double> alpha = std::nullopt) {
  return make_sampler_policy(name, lambda, alpha, true);
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
  for (const bool weights : {true, false}) {
    EXPECT_EQ(make_sampler_policy("adasample", 10, std::nullopt, weights).embedded_patches(15), 15);
    EXPECT_EQ(make_sampler_policy("hardest", 10, std::nullopt, weights).embedded_patches(15), 15);
    EXPECT_EQ(make_sampler_policy("random", 10, std::nullopt, weights).embedded_patches(15), weights ? 2 : 0);
    EXPECT_EQ(make_sampler_policy("random", 10, std::nullopt, weights).distance_weights, weights);
  }
  EXPECT_FALSE(policy_named("random", 10).needs_descriptors());
  EXPECT_TRUE(policy_named("adasample", 0).needs_descriptors());
}

TEST(SamplerPolicy, UnknownNameIsRefused) {
  testing::expect_error([] { policy_named("hard", 10); }, "'hard'", "adasample, random, hardest");
}

}  // namespace
}  // namespace adasample
