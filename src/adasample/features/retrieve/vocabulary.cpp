// SPDX-License-Identifier: Apache-2.0
#include "adasample/features/retrieve/vocabulary.h"

#include <algorithm>
#include <cmath>

#include "adasample/base/bytes/finite.h"
#include "adasample/base/bytes/sha256.h"
#include "adasample/base/error.h"
#include "adasample/base/random/rng.h"
#include "adasample/features/match/nearest_rows.h"
#include "adasample/model/weights.h"

namespace adasample {
namespace {

constexpr const char* kArray = "words";
constexpr const char* kKind = "adasample vocabulary";
constexpr int64_t kMostWords = 65536, kMostDimension = 4096;

double square_apart(const float* a, const float* b, size_t dimension) {
  double sum = 0;
  for (size_t k = 0; k < dimension; ++k) sum += (double{a[k]} - b[k]) * (double{a[k]} - b[k]);
  return sum;
}

// Each next row is drawn with a chance in proportion to its squared distance from the rows chosen so far.
std::vector<float> first_words(std::span<const float> rows, size_t dimension, const VocabularyOptions& options) {
  const size_t count = rows.size() / dimension;
  RngStream rng(RngKey(options.seed, Draw::kVocabulary));
  std::vector<double> apart(count, INFINITY);
  std::vector<float> words;
  auto chosen = static_cast<size_t>(rng.index(static_cast<int64_t>(count)));
  for (int word = 0; word < options.words; ++word) {
    const float* row = rows.data() + chosen * dimension;
    words.insert(words.end(), row, row + dimension);
    parallel_for(static_cast<int64_t>((count + 1023) / 1024), [&](int64_t block) {
      const size_t begin = static_cast<size_t>(block) * 1024;
      for (size_t i = begin; i < std::min(count, begin + 1024); ++i) {
        apart[i] = std::min(apart[i], square_apart(rows.data() + i * dimension, row, dimension));
      }
    });
    double total = 0;
    for (const double d : apart) total += d;
    double left = rng.uniform() * total;
    chosen = 0;
    while (chosen + 1 < count && left >= apart[chosen]) left -= apart[chosen++];
  }
  return words;
}

}  // namespace

void VocabularyOptions::validate() const {
  ADA_USAGE(words >= 2 && words <= kMostWords, "VocabularyOptions::words = {}, must be 2 to {}", words, kMostWords);
  ADA_USAGE(rounds >= 1 && rounds <= 10000, "VocabularyOptions::rounds = {}, must be 1 to 10000", rounds);
}

Vocabulary learn_vocabulary(std::span<const float> rows, int dimension, const VocabularyOptions& options) {
  options.validate();
  const auto width = static_cast<size_t>(dimension), count = rows.size() / width;
  ADA_CHECK(count >= static_cast<size_t>(options.words),
            "[vocabulary] expected {} descriptors or more to learn {} words from, found {}", options.words,
            options.words, count);
  Vocabulary vocabulary{.dimension = dimension, .words = first_words(rows, width, options), .weights_sha256 = {}};
  for (int round = 0; round < options.rounds; ++round) {
    const auto nearest = all_nearest(rows, vocabulary.words, dimension, &NearestRows::find);
    std::vector<double> sums(vocabulary.words.size());
    std::vector<int64_t> members(vocabulary.size());
    for (size_t i = 0; i < count; ++i) {
      const auto word = static_cast<size_t>(nearest[i].row);
      ++members[word];
      for (size_t k = 0; k < width; ++k) sums[word * width + k] += rows[i * width + k];
    }
    std::vector<double> apart(count);
    for (size_t i = 0; i < count; ++i) apart[i] = nearest[i].distance;
    for (size_t word = 0; word < vocabulary.size(); ++word) {
      if (members[word] == 0) {
        const auto farthest = static_cast<size_t>(std::max_element(apart.begin(), apart.end()) - apart.begin());
        apart[farthest] = 0;
        std::copy_n(rows.data() + farthest * width, width, vocabulary.words.data() + word * width);
        continue;
      }
      for (size_t k = 0; k < width; ++k) {
        vocabulary.words[word * width + k] =
            static_cast<float>(sums[word * width + k] / static_cast<double>(members[word]));
      }
    }
  }
  return vocabulary;
}

Vocabulary load_vocabulary(const std::filesystem::path& path) {
  const Weights file = load_safetensors(path);
  const auto kind = file.metadata.find("architecture");
  ADA_CHECK(kind != file.metadata.end() && kind->second == kKind,
            "[vocabulary] {}: expected a vocabulary, found {} - made by `adasample vocabulary`?", path.string(),
            kind == file.metadata.end() ? "other arrays" : kind->second);
  const NamedArray& words = file.at(kArray);
  ADA_CHECK(words.shape.size() == 2 && words.shape[0] >= 2 && words.shape[0] <= kMostWords && words.shape[1] >= 1 &&
                words.shape[1] <= kMostDimension && file.arrays.size() == 1,
            "[vocabulary] {}: expected one array of 2 to {} words, found another shape", path.string(), kMostWords);
  ADA_CHECK(all_finite(words.values), "[vocabulary] {}: expected finite numbers", path.string());
  const auto weights = file.metadata.find("weights_sha256");
  return {static_cast<int>(words.shape[1]), words.values, weights == file.metadata.end() ? "" : weights->second};
}

std::filesystem::path vocabulary_beside(const std::filesystem::path& weights) {
  const auto file = std::filesystem::path(weights).replace_extension(".vocabulary.safetensors");
  if (weights.empty() || !std::filesystem::exists(file)) return {};
  return load_vocabulary(file).weights_sha256 == sha256_of_file(weights) ? file : std::filesystem::path();
}

void save_vocabulary(const Vocabulary& vocabulary, const std::filesystem::path& path) {
  Weights file;
  file.arrays[kArray] = {{static_cast<int64_t>(vocabulary.size()), vocabulary.dimension}, vocabulary.words};
  file.metadata = {{"architecture", kKind}, {"weights_sha256", vocabulary.weights_sha256}};
  save_safetensors(file, path, FloatType::kFloat16);
}

std::vector<float> some_rows(std::span<const float> rows, int dimension, size_t count) {
  const auto width = static_cast<size_t>(dimension), all = rows.size() / width;
  std::vector<float> chosen;
  const size_t some = std::min(count, all);
  for (size_t i = 0; i < some; ++i) {
    const float* row = rows.data() + i * all / some * width;
    chosen.insert(chosen.end(), row, row + width);
  }
  return chosen;
}

}  // namespace adasample
