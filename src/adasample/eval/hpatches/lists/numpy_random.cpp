// SPDX-License-Identifier: Apache-2.0
#include "adasample/eval/hpatches/lists/numpy_random.h"

#include <bit>

#include "adasample/base/error.h"

namespace adasample {
namespace {

// All ones up to the highest bit of `limit`.
uint32_t mask_of(uint32_t limit) { return static_cast<uint32_t>((uint64_t{1} << std::bit_width(limit)) - 1); }

// The recurrence: the word `lag` places on, and a linear map of this word's high bit and the next word's others.
uint32_t twist(uint32_t high, uint32_t low, uint32_t lagged) {
  const uint32_t mixed = (high & 0x80000000u) | (low & 0x7fffffffu);
  return lagged ^ (mixed >> 1) ^ ((0u - (mixed & 1u)) & 0x9908b0dfu);
}

}  // namespace

NumpyRandom::NumpyRandom(uint32_t seed) {
  state_[0] = seed;
  for (uint32_t i = 1; i < kWords; ++i) state_[i] = 1812433253u * (state_[i - 1] ^ (state_[i - 1] >> 30)) + i;
}

void NumpyRandom::refill() {
  constexpr size_t kLag = 397, kBack = kWords - kLag;
  for (size_t i = 0; i < kBack; ++i) state_[i] = twist(state_[i], state_[i + 1], state_[i + kLag]);
  for (size_t i = kBack; i < kWords - 1; ++i) state_[i] = twist(state_[i], state_[i + 1], state_[i - kBack]);
  state_[kWords - 1] = twist(state_[kWords - 1], state_[0], state_[kLag - 1]);
  for (size_t i = 0; i < kWords; ++i) {
    uint32_t y = state_[i];
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680u;
    y ^= (y << 15) & 0xefc60000u;
    words_[i] = y ^ (y >> 18);
  }
  next_ = 0;
}

uint32_t NumpyRandom::up_to(uint32_t limit) {
  if (limit == 0) return 0;
  const uint32_t mask = mask_of(limit);
  for (;;) {
    const uint32_t value = word() & mask;
    if (value <= limit) return value;
  }
}

// The shuffle swaps entry i with entry up_to(i) for i = n - 1 down to 1. All swaps are drawn; then places 0 and 1 are
// followed back to where their entries came from.
NumpyRandom::FirstTwo NumpyRandom::first_of_shuffle(uint32_t n) {
  ADA_ASSERT(n >= 2);
  swaps_.resize(n);
  uint32_t* swaps = swaps_.data();
  for (uint32_t i = n - 1; i >= 1;) {
    const uint32_t mask = mask_of(i), last = mask / 2 + 1;  // the mask holds for i down to `last`
    while (i >= last) {
      if (next_ == kWords) refill();
      size_t at = next_;
      for (; at < kWords && i >= last; ++at) {
        const uint32_t value = words_[at] & mask;
        swaps[i] = value;
        i -= value <= i ? 1 : 0;  // arithmetic, not a branch: nobody could predict it
      }
      next_ = at;
    }
  }
  FirstTwo place{0, 1};
  if (swaps[1] == 0) place = {1, 0};
  for (uint32_t i = 2; i < n; ++i) {
    if (swaps[i] == place.first) {
      place.first = i;
    } else if (swaps[i] == place.second) {
      place.second = i;
    }
  }
  return place;
}

}  // namespace adasample
