// SPDX-License-Identifier: Apache-2.0
// Visual words: centres of descriptors, by k-means. They belong to the weights whose descriptors they were made from,
// and the file says to which, by hash.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace adasample {

inline constexpr const char* kDefaultVocabulary = "adasample-l2net.vocabulary.safetensors";  // beside the weights

struct Vocabulary {
  int dimension = 0;
  std::vector<float> words;    // (n, dimension)
  std::string weights_sha256;  // of the weights file; empty: not known

  size_t size() const { return words.size() / static_cast<size_t>(dimension); }
};

struct VocabularyOptions {
  int words = 128;
  int rounds = 20;  // of Lloyd's algorithm
  uint64_t seed = 0;

  void validate() const;
};

// rows: (n, dimension), as many as words at least. The first words are rows far from each other (k-means++); a word
// that loses all its rows becomes the row that is farthest from its own. The same for any number of threads.
Vocabulary learn_vocabulary(std::span<const float> rows, int dimension, const VocabularyOptions& options);

// A safetensors file with one array `words`. Throws Error for anything else.
Vocabulary load_vocabulary(const std::filesystem::path& path);
// x.vocabulary.safetensors beside x.safetensors, where that is there and was made from these very weights; else empty.
std::filesystem::path vocabulary_beside(const std::filesystem::path& weights);
void save_vocabulary(const Vocabulary& vocabulary, const std::filesystem::path& path);

// Of an even choice of `count` rows at most, in order: what to learn from.
std::vector<float> some_rows(std::span<const float> rows, int dimension, size_t count);

}  // namespace adasample
