// SPDX-License-Identifier: Apache-2.0
#include "adasample/features/retrieve/picture_index.h"

#include <gtest/gtest.h>

#include <cmath>

#include "adasample/base/bytes/sha256.h"
#include "adasample/base/random/rng.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

constexpr int kWide = 16;

std::vector<float> random_rows(RngStream& rng, size_t count) {
  std::vector<float> rows;
  for (size_t i = 0; i < count; ++i) {
    std::array<double, kWide> row;
    double norm = 0;
    for (double& v : row) {
      v = rng.normal();
      norm += v * v;
    }
    for (const double v : row) rows.push_back(static_cast<float>(v / std::sqrt(norm)));
  }
  return rows;
}

TEST(Vocabulary, WordsAreTheMiddlesOfClouds) {
  // Four clouds of 50 rows around four places.
  RngStream rng(RngKey(1, Draw::kPairs));
  std::vector<float> rows;
  for (int i = 0; i < 200; ++i) {
    rows.push_back(static_cast<float>((i % 4 < 2 ? -5 : 5) + 0.1 * rng.normal()));
    rows.push_back(static_cast<float>((i % 2 == 0 ? -5 : 5) + 0.1 * rng.normal()));
  }
  const Vocabulary vocabulary = learn_vocabulary(rows, 2, {.words = 4});
  ASSERT_EQ(vocabulary.size(), 4u);
  int corners = 0;
  for (size_t word = 0; word < 4; ++word) {
    const float x = vocabulary.words[2 * word], y = vocabulary.words[2 * word + 1];
    EXPECT_NEAR(std::abs(x), 5, 0.1);
    EXPECT_NEAR(std::abs(y), 5, 0.1);
    corners |= 1 << ((x > 0 ? 2 : 0) + (y > 0 ? 1 : 0));
  }
  EXPECT_EQ(corners, 15) << "one word for each";
  testing::expect_error([&] { learn_vocabulary(std::span(rows).first(6), 2, {.words = 4}); },
                        "expected 4 descriptors or more");
  testing::expect_error([&] { learn_vocabulary(rows, 2, {.words = 1}); }, "words = 1, must be 2");
}

TEST(Vocabulary, AFileKeepsItAndSaysWhoseItIs) {
  const testing::TempFolder folder;
  Vocabulary vocabulary{.dimension = 2, .words = {1, 2, -0.5, 4}, .weights_sha256 = "abc"};
  save_vocabulary(vocabulary, folder / "v.safetensors");
  const Vocabulary read = load_vocabulary(folder / "v.safetensors");
  EXPECT_EQ(read.dimension, 2);
  EXPECT_EQ(read.words, vocabulary.words) << "halves of these numbers are exact";
  EXPECT_EQ(read.weights_sha256, "abc");
  testing::expect_error([] { load_vocabulary(ADASAMPLE_SOURCE_DIR "/weights/adasample-l2net.safetensors"); },
                        "expected a vocabulary");
}

// Whoever ships other weights makes these again: weights/README.md says how.
TEST(Vocabulary, TheShippedOneBelongsToTheShippedWeights) {
  const std::string folder = ADASAMPLE_SOURCE_DIR "/weights/";
  for (const std::string weights : {"adasample-l2net", "adasample-l2net-free"}) {
    EXPECT_EQ(vocabulary_beside(folder + weights + ".safetensors"), folder + weights + ".vocabulary.safetensors");
  }
}

TEST(Vocabulary, OneOfOtherWeightsIsNotTaken) {
  const testing::TempFolder folder;
  const std::string weights = folder / "w.safetensors";
  write_file_atomically(weights, "x");
  EXPECT_EQ(vocabulary_beside(""), "");
  EXPECT_EQ(vocabulary_beside(weights), "") << "there is none";
  save_vocabulary({.dimension = 2, .words = {1, 0, 0, 1}, .weights_sha256 = sha256_of_file(weights)},
                  folder / "w.vocabulary.safetensors");
  EXPECT_EQ(vocabulary_beside(weights), folder / "w.vocabulary.safetensors");
  write_file_atomically(weights, "y");
  EXPECT_EQ(vocabulary_beside(weights), "") << "made from other weights";
  write_file_atomically(folder / "w.vocabulary.safetensors", "rubbish");
  testing::expect_error([&] { vocabulary_beside(weights); }, "w.vocabulary.safetensors");
}

TEST(PictureIndex, PicturesThatShareDescriptorsAreAlike) {
  RngStream rng(RngKey(2, Draw::kPairs));
  const Vocabulary vocabulary = learn_vocabulary(random_rows(rng, 400), kWide, {.words = 16});
  PictureIndex index(vocabulary);
  // Pictures 2 i and 2 i + 1 share half of their descriptors.
  for (int i = 0; i < 10; ++i) {
    const std::vector<float> shared = random_rows(rng, 100);
    for (int j = 0; j < 2; ++j) {
      std::vector<float> rows = random_rows(rng, 100);
      rows.insert(rows.end(), shared.begin(), shared.end());
      index.add(rows);
    }
  }
  index.add({});
  const auto alike = index.most_alike(3);
  ASSERT_EQ(alike.size(), 21u);
  for (uint32_t i = 0; i < 20; ++i) {
    ASSERT_EQ(alike[i].size(), 3u);
    EXPECT_EQ(alike[i][0], i ^ 1u);
  }
  EXPECT_TRUE(alike[20].empty()) << "a picture without descriptors";
  const auto pairs = index.pairs(1);
  EXPECT_EQ(pairs.size(), 10u);
  for (const auto& [a, b] : pairs) EXPECT_EQ(a + 1, b);
  EXPECT_EQ(index.pairs(100).size(), 190u) << "all pairs of twenty, and none with the last";
}

// A texture that repeats counts once: it must not drown what two pictures really share.
TEST(PictureIndex, RepeatedDescriptorsCountOnce) {
  RngStream rng(RngKey(3, Draw::kPairs));
  PictureIndex index(learn_vocabulary(random_rows(rng, 400), kWide, {.words = 16}));
  const std::vector<float> shared = random_rows(rng, 60), texture = random_rows(rng, 1);
  const auto with_texture = [&](std::vector<float> rows) {
    for (int i = 0; i < 500; ++i) rows.insert(rows.end(), texture.begin(), texture.end());
    return rows;
  };
  index.add(with_texture(shared));
  index.add(shared);
  // More than are compared closely, so that the vectors decide.
  for (int i = 0; i < 40; ++i) index.add(with_texture(random_rows(rng, 60)));
  EXPECT_EQ(index.most_alike(1)[0], std::vector<uint32_t>{1});
}

}  // namespace
}  // namespace adasample
