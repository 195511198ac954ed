// SPDX-License-Identifier: Apache-2.0
// Counter-based random numbers: a draw is a pure function of the words that name it (seed, purpose, iteration,
// class..), so any draw can be recomputed without the ones before it, on any device and rank. Each word is absorbed by
// one bijective round: h <- mix64((h + golden) ^ (word * odd)); mix64 is Stafford's variant 13 of the SplitMix64
// finaliser. sampler/tensor_rng.h does the same arithmetic on tensors.
#pragma once

#include <cmath>
#include <cstdint>

#include "adasample/base/device_code.h"

namespace adasample {

inline constexpr uint64_t kRngGolden = 0x9E3779B97F4A7C15u;
inline constexpr uint64_t kRngOdd = 0xD1342543DE82EF95u;
inline constexpr uint64_t kMixA = 0xBF58476D1CE4E5B9u;
inline constexpr uint64_t kMixB = 0x94D049BB133111EBu;

ADA_DEVICE constexpr uint64_t mix64(uint64_t x) {
  x = (x ^ (x >> 30)) * kMixA;
  x = (x ^ (x >> 27)) * kMixB;
  return x ^ (x >> 31);
}

ADA_DEVICE constexpr uint64_t absorb(uint64_t state, uint64_t word) {
  return mix64((state + kRngGolden) ^ (word * kRngOdd));
}

// What a number is for; part of its name, so that two uses never share a draw.
enum class Draw : uint64_t {
  kClasses = 1,  // which classes form the batch
  kSubset = 2,   // which k patches of a large class are candidates
  kFlip = 3,     // one of the eight flips of a class
  kAnchor = 4,
  kPositive = 5,
  kDropout = 6,
  kInit = 7,         // initial weights
  kScene = 8,        // dead-leaves scenes
  kView = 9,         // jitter of one view
  kPairs = 10,       // verification pairs
  kHoldout = 11,     // which photographs are held out
  kPhotoTour = 20,   // generated positives
  kSequences = 21,   // homography sequences: which keypoint of a cluster
  kRefound = 27,     // how far a frame is off when its keypoint is found again
  kColmap = 22,      // which views of a long track
  kHpatches = 23,    // made-up descriptors for the benchmark's benchmark
  kBootstrap = 24,   // resamples of sequences
  kSignFlips = 25,   // patterns of signs for a test of pairs
  kTour = 29,        // sets in PhotoTour's format made of scenes
  kVocabulary = 28,  // the first words of a vocabulary
  kMembers = 30,     // patches of a class that are learned from besides the pair
  kNegative = 31,    // of a pair, where it is drawn
};

// A key is the hash of the words so far; `.at(word)` appends one.
class RngKey {
 public:
  ADA_DEVICE constexpr RngKey(uint64_t seed, Draw draw) : state_(absorb(mix64(seed), static_cast<uint64_t>(draw))) {}
  ADA_DEVICE constexpr RngKey at(uint64_t word) const { return RngKey(absorb(state_, word)); }
  ADA_DEVICE constexpr uint64_t bits() const { return state_; }
  // In [0, 1), 53 bits.
  ADA_DEVICE constexpr double uniform() const { return static_cast<double>(state_ >> 11) * 0x1.0p-53; }

 private:
  ADA_DEVICE explicit constexpr RngKey(uint64_t state) : state_(state) {}
  uint64_t state_;
};

// A sequence of draws under one key, for code that needs many (scenes, views).
class RngStream {
 public:
  explicit constexpr RngStream(RngKey key) : key_(key) {}
  uint64_t bits() { return key_.at(counter_++).bits(); }
  double uniform() { return key_.at(counter_++).uniform(); }
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  // In [0, n); the bias is below n / 2^53.
  int64_t index(int64_t n) { return static_cast<int64_t>(uniform() * static_cast<double>(n)); }
  // Standard normal (Box-Muller, one of the pair).
  double normal() {
    const double u = 1.0 - uniform();
    return std::sqrt(-2.0 * std::log(u)) * std::cos(6.283185307179586 * uniform());
  }

 private:
  RngKey key_;
  uint64_t counter_ = 0;
};

}  // namespace adasample
