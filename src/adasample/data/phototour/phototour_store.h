// SPDX-License-Identifier: Apache-2.0
// A PhotoTour set as a patch store for training: a class is a 3D point, its real patches first. Points are seen two or
// three times, too seldom to choose positives from, so smaller classes are filled up with turned copies
// (data/store/turned_copies.h) at 64 x 64; then all are resized.
#pragma once

#include <cstdint>
#include <filesystem>

#include "adasample/data/phototour/phototour.h"

namespace adasample {

struct PhotoTourStoreOptions {
  int positives = 15;   // patches a class at least; 0: only real ones. Larger classes keep all they have
  double angle = 15;    // degrees: generated patches turn by up to this either way
  int patch_size = 32;  // pixels: 32 or 64
  uint64_t seed = 0;

  void validate() const;
};

// Writes the store to `out`, which must not exist. Points with a single patch become a class only where positives are
// generated, else they are dropped; meta.json counts both. The bytes depend on the set and the options alone, and the
// generated patches of a point only on its real ones, its id and the options.
void make_phototour_store(const PhotoTour& set, const PhotoTourStoreOptions& options, const std::filesystem::path& out);

}  // namespace adasample
