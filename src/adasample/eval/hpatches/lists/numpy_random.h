// SPDX-License-Identifier: Apache-2.0
// numpy's legacy random numbers (numpy.random.seed, randint, shuffle): the Mersenne Twister MT19937 as Matsumoto and
// Nishimura seed it with one word. The same stream as std::mt19937, several times as fast where billions are drawn: 624
// words are made at a time in loops that the compiler turns into vectors.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace adasample {

class NumpyRandom {
 public:
  explicit NumpyRandom(uint32_t seed);

  uint32_t word() {
    if (next_ == kWords) refill();
    return words_[next_++];
  }

  // A whole number in [0, limit]: a word masked to the bits of `limit`, drawn anew while it exceeds it. Draws nothing
  // for 0.
  uint32_t up_to(uint32_t limit);

  // The first two entries of a shuffle of 0 .. n - 1, n >= 2, all of which is drawn.
  struct FirstTwo {
    uint32_t first, second;
  };
  FirstTwo first_of_shuffle(uint32_t n);

 private:
  static constexpr size_t kWords = 624;
  void refill();

  std::array<uint32_t, kWords> state_, words_;
  size_t next_ = kWords;
  std::vector<uint32_t> swaps_;
};

}  // namespace adasample
