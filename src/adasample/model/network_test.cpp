// SPDX-License-Identifier: Apache-2.0
#include "adasample/model/network.h"

#include <gtest/gtest.h>

#include <set>

#include "adasample/model/random_weights.h"
#include "adasample/model/weights.h"
#include "tests/support/expect_error.h"

namespace adasample {
namespace {

using testing::expect_error;

std::set<std::string> names_of(const Network& network) {
  std::set<std::string> names;
  for (const NetArray& array : network.arrays()) names.insert(array.name);
  return names;
}

TEST(Network, SizesAsPublished) {
  EXPECT_EQ(find_network("l2net").weight_count(), 1334560);
  EXPECT_EQ(find_network("sosnet").weight_count(), 1334560);
  EXPECT_EQ(find_network("cs-l2net").weight_count(), 2 * 1334560);
  EXPECT_EQ(find_network("cs-l2net").descriptor_size, 256);
  EXPECT_EQ(find_network("tfeat").weight_count(), 32 * 49 + 32 + 64 * 32 * 36 + 64 + 128 * 4096 + 128);
  // Scale and shift of each filter-response norm, a threshold after it, a bias with each convolution but the last.
  EXPECT_EQ(find_network("hynet").weight_count(), 1334560 + 3 * (1 + 448) + 448);
  EXPECT_EQ(find_network("l2net").flops_per_patch(), l2net().flops_per_patch());
  // The published table: 64, 32, 16, 8 pixels wide, and 4,096 numbers, of which the metric gets two times as many.
  const Network& matchnet = find_network("matchnet");
  std::vector<int> widths;
  for (const PlaneShape& shape : matchnet.extents(matchnet.towers[0])) widths.push_back(shape.width);
  EXPECT_EQ(widths, (std::vector<int>{64, 64, 64, 32, 32, 32, 16, 16, 16, 16, 16, 16, 16, 8}));
  EXPECT_EQ(matchnet.weight_count(), 24 * 50 + 64 * (24 * 25 + 1) + 96 * (64 * 9 + 1) + 96 * (96 * 9 + 1) +
                                         64 * (96 * 9 + 1) + 512 * 8193 + 512 * 513 + 2 * 513);
  EXPECT_EQ(find_network("geodesc").weight_count(), 1334560);
}

TEST(Network, NamesAreThoseOfThePublishedModules) {
  const auto sosnet = names_of(find_network("sosnet")), hynet = names_of(find_network("hynet")),
             tfeat = names_of(find_network("tfeat"));
  for (const char* name : {"layers.1.weight", "layers.2.running_mean", "layers.16.weight", "layers.20.weight",
                           "layers.21.running_var", "layers.21.num_batches_tracked"}) {
    EXPECT_TRUE(sosnet.contains(name)) << name;
  }
  for (const char* name :
       {"layer1.0.weight", "layer1.0.eps", "layer1.1.tau", "layer1.2.weight", "layer1.2.bias", "layer1.4.tau",
        "layer2.0.bias", "layer6.2.tau", "layer7.1.weight", "layer7.2.running_mean"}) {
    EXPECT_TRUE(hynet.contains(name)) << name;
  }
  EXPECT_FALSE(hynet.contains("layer7.1.bias"));
  EXPECT_EQ(tfeat, (std::set<std::string>{"features.1.weight", "features.1.bias", "features.4.weight",
                                          "features.4.bias", "descr.0.weight", "descr.0.bias"}));
}

TEST(Network, PlainFormIsL2Nets) {
  const LayerTable* plain = find_network("l2net").plain();
  ASSERT_NE(plain, nullptr);
  EXPECT_EQ(plain, &l2net());
  EXPECT_EQ(plain->layers.size(), 7);
  EXPECT_EQ(plain->layers.back().sequence_index, 19);
  EXPECT_TRUE(plain->layers.back().dropout_before && !plain->layers.back().relu);
  EXPECT_TRUE(!plain->layers.front().dropout_before && plain->layers.front().relu);
  EXPECT_EQ(plain->dropout, 0.3);
  EXPECT_EQ(plain->batch_norm_epsilon, 1e-5);
  for (const char* other : {"sosnet", "hynet", "tfeat", "cs-l2net", "deepdesc", "geodesc", "matchnet"}) {
    EXPECT_EQ(find_network(other).plain(), nullptr) << other;
  }
}

TEST(Network, WidthScalesAllLayersButTheLast) {
  const Network& half = find_network("l2net:0.5");
  EXPECT_EQ(half.name, "l2net:0.5");
  EXPECT_EQ(half.descriptor_size, 128);
  ASSERT_NE(half.plain(), nullptr);
  std::vector<int> channels;
  for (const ConvLayer& layer : half.plain()->layers) channels.push_back(layer.out_channels);
  EXPECT_EQ(channels, (std::vector<int>{16, 16, 32, 32, 64, 64, 128}));
  EXPECT_EQ(&find_network("l2net:1"), &find_network("l2net"));
  EXPECT_EQ(&find_network("l2net:0.50"), &half) << "one network, however its width is written";
}

TEST(Network, WhatIsNoNameListsThoseThereAre) {
  for (const char* name :
       {"", "l2", "l2net:", "l2net:0", "l2net:9", "l2net:x", "hynet:0.5", "l2net:nan", "l2net:0.5:1"}) {
    EXPECT_FALSE(is_network(name)) << name;
    expect_error([&] { find_network(name); },
                 "must be one of l2net, cs-l2net, sosnet, hynet, tfeat, deepdesc, geodesc");
  }
}

TEST(Network, RandomWeightsFitEveryNetwork) {
  for (const std::string& name : network_names()) {
    Weights weights = random_weights(find_network(name), 3);
    EXPECT_NO_THROW(weights.check_against(find_network(name))) << name;
    EXPECT_EQ(&weights.network(), &find_network(name));
    weights.arrays.begin()->second.shape.push_back(1);
    expect_error([&] { weights.check_against(find_network(name)); }, weights.arrays.begin()->first, "expected shape");
  }
  Weights weights;
  EXPECT_EQ(&weights.network(), &find_network("l2net"));
  weights.metadata["architecture"] = "resnet";
  expect_error([&] { weights.network(); }, "'resnet'", "known here are l2net");
}

}  // namespace
}  // namespace adasample
