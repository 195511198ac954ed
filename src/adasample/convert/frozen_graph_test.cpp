// SPDX-License-Identifier: Apache-2.0
#include "adasample/convert/frozen_graph.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "adasample/base/files/file_io.h"
#include "adasample/convert/foreign_weights.h"
#include "adasample/convert/protobuf.h"
#include "adasample/model/random_weights.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

using testing::expect_error;

ProtoMessage node(const std::string& name, const std::string& operation) {
  return ProtoMessage().text(1, name).text(2, operation);
}

ProtoMessage constant(const std::string& name, const std::vector<int64_t>& shape, const std::vector<float>& values,
                      int type = 1) {
  ProtoMessage extents, tensor;
  for (const int64_t extent : shape) extents.message(2, ProtoMessage().integer(1, extent));
  tensor.integer(1, type).message(2, extents);
  tensor.text(4, {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)});
  ProtoMessage made = node(name, "Const");
  made.message(5, ProtoMessage().text(1, "value").message(2, ProtoMessage().message(8, tensor)));
  return made;
}

// GeoDesc's graph around the arrays of `weights`, with names as tf.layers gives them.
std::string graph_of(const Weights& weights, const std::string& kernel, const std::string& norm, float epsilon) {
  ProtoMessage graph;
  graph.message(1, node("input", "Placeholder"));
  graph.message(1, constant("conv0/shape", {2}, {1, 2}, /*type=*/3));
  for (int i = 0; i < 7; ++i) {
    const std::string layer = fmt::format("conv{}", i);
    const NamedArray& w = weights.at(layer + ".weight");
    const int64_t out = w.shape[0], in = w.shape[1], side = w.shape[2];
    std::vector<float> values(w.values.size());
    for (int64_t o = 0; o < out; ++o)
      for (int64_t c = 0; c < in; ++c)
        for (int64_t y = 0; y < side; ++y)
          for (int64_t x = 0; x < side; ++x)
            values[static_cast<size_t>(((y * side + x) * in + c) * out + o)] =
                w.values[static_cast<size_t>(((o * in + c) * side + y) * side + x)];
    graph.message(1, constant(layer + kernel, {side, side, in, out}, values));
    if (i == 6) continue;
    graph.message(1, constant(layer + norm + "/moving_mean", {out}, weights.at(layer + ".bn.running_mean").values));
    graph.message(1, constant(layer + norm + "/moving_variance", {out}, weights.at(layer + ".bn.running_var").values));
    ProtoMessage fused = node(layer + norm + "/FusedBatchNorm", "FusedBatchNorm");
    fused.message(5, ProtoMessage().text(1, "epsilon").message(2, ProtoMessage().real(4, epsilon)));
    graph.message(1, fused);
  }
  return graph.bytes();
}

TEST(FrozenGraph, GeoDescByBothWaysOfNaming) {
  const Weights weights = random_weights(find_network("geodesc"), 5);
  for (const auto& [kernel, norm, epsilon] :
       {std::tuple{"/kernel", "/bn", 1e-5f}, {"/conv2d/kernel", "/batch_normalization", 1e-3f}}) {
    const std::string bytes = graph_of(weights, kernel, norm, epsilon);
    EXPECT_TRUE(begins_as_frozen_graph(bytes));
    const Weights read = geodesc_weights(parse_frozen_graph(bytes, "f"), "f");
    EXPECT_EQ(read.metadata.at("architecture"), "geodesc");
    for (const auto& [name, array] : weights.arrays) {
      ASSERT_EQ(read.at(name).shape, array.shape) << name;
      for (size_t i = 0; i < array.values.size(); ++i) {
        // What a norm divides by is the same: sqrt(variance + epsilon), with the table's epsilon of 1e-5.
        const double expected = name.ends_with("var") ? array.values[i] + double{epsilon} - 1e-5 : array.values[i];
        ASSERT_NEAR(read.at(name).values[i], expected, 1e-7) << name << " " << i;
      }
    }
  }
  const testing::TempFolder folder;
  write_file_atomically(folder / "geodesc.bin", graph_of(weights, "/kernel", "/bn", 1e-5f));
  EXPECT_EQ(load_foreign_weights(folder / "geodesc.bin").at("conv6.weight"), weights.at("conv6.weight"));
}

TEST(FrozenGraph, WhatDiffersIsRefused) {
  const Weights weights = random_weights(find_network("geodesc"), 5);
  const auto refused = [](const std::string& bytes, const auto&... parts) {
    expect_error([&] { geodesc_weights(parse_frozen_graph(bytes, "f.pb"), "f.pb"); }, parts...);
  };
  const std::string good = graph_of(weights, "/kernel", "/bn", 1e-3f);
  refused(good.substr(0, good.size() - 10), "[pb] f.pb", "truncated");
  refused("", "f.pb", "expected GeoDesc's kernel below conv0, found none");
  refused(std::string(20, '\xff'), "[pb] f.pb", "not a frozen graph");
  refused("\x0b", "wire type 3");
  refused(graph_of(weights, "/kernel", "/bn", 0), "conv0", "epsilon", "found 0");
  refused(graph_of(weights, "/weights", "/bn", 1e-3f), "expected GeoDesc's kernel below conv0");
  refused(ProtoMessage().message(1, constant("conv0/kernel", {2, 3}, {1, 2, 3})).bytes(), "'conv0/kernel'",
          "expected 6 values, found 3");
  refused(ProtoMessage().message(1, constant("conv0/kernel", {int64_t{1} << 40, int64_t{1} << 40}, {1})).bytes(),
          "extent of 1099511627776");
  refused(ProtoMessage().message(1, constant("conv0/kernel", {100000}, {1})).bytes(),
          "expected 100000 values, found 1");
  refused(ProtoMessage().message(1, constant("conv0/kernel", {2}, {1, 2})).bytes(), "four dimensions, found 1");
  refused(good + ProtoMessage().message(1, constant("conv0/other/kernel", {1}, {1})).bytes(), "found several");
  for (const float bad : {NAN, -1.f, INFINITY}) {
    Weights broken = weights;
    broken.arrays["conv3.bn.running_var"].values[7] = bad;
    refused(graph_of(broken, "/kernel", "/bn", 1e-3f), "f.pb: conv3: a variance of");
  }
  ProtoMessage cut, float_type;
  float_type.integer(1, 1).text(4, "12345");
  cut.message(1, node("conv0/kernel", "Const")
                     .message(5, ProtoMessage().text(1, "value").message(2, ProtoMessage().message(8, float_type))));
  refused(cut.bytes(), "'conv0/kernel'", "expected float32 values, found 5 bytes");
  // Weights of the right names and another shape.
  Weights narrow = weights;
  narrow.arrays["conv6.weight"] = {{16, 128, 8, 8}, std::vector<float>(16 * 128 * 64, 1.f)};
  refused(graph_of(narrow, "/kernel", "/bn", 1e-3f), "conv6.weight", "[128, 128, 8, 8]", "[16, 128, 8, 8]");
}

}  // namespace
}  // namespace adasample
