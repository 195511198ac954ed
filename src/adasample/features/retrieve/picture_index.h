// SPDX-License-Identifier: Apache-2.0
// Which pictures look alike, from their descriptors alone. A picture is a vector of locally aggregated descriptors
// (Jegou et al. 2010): for every visual word the sum of unit steps from it to the descriptors nearest to it; each
// word's sum scaled to norm 1 (so that a texture which repeats counts once), then weighted by how rare the word is
// (tf-idf's idf), then the whole. The pictures whose vectors have the largest products with it are a short list; those
// of them that have most mutual matches among some hundred descriptors, the strongest, come first.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "adasample/features/retrieve/vocabulary.h"

namespace adasample {

class PictureIndex {
 public:
  explicit PictureIndex(Vocabulary vocabulary) : vocabulary_(std::move(vocabulary)) {}

  // A picture's descriptors, (n, dimension), the strongest first; none: it is like no other. To be called from one
  // thread. What is kept takes some 130 kilobytes.
  void add(std::span<const float> rows);
  size_t size() const { return used_.size(); }

  // Of each picture the `top` others that are most like it, best first; the first of several that are equal. Pictures
  // without descriptors have and are none. Throws Error on Ctrl-C.
  std::vector<std::vector<uint32_t>> most_alike(int top) const;
  // As pairs, the smaller number first, each once, sorted: of each picture with its `top` others.
  std::vector<std::pair<uint32_t, uint32_t>> pairs(int top) const;

 private:
  std::vector<std::vector<uint32_t>> by_vectors(size_t most) const;
  size_t shared(uint32_t a, uint32_t b) const;  // matches of two pictures
  std::vector<float> strongest(uint32_t picture) const;

  Vocabulary vocabulary_;
  std::vector<float> sums_;                     // (pictures, words, dimension), each word's of norm 1 or 0
  std::vector<std::vector<bool>> used_;         // words of each picture
  std::vector<std::vector<int8_t>> strongest_;  // rows of each, rounded
};

}  // namespace adasample
