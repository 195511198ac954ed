// SPDX-License-Identifier: Apache-2.0
// Classes of few real patches, filled up with generated ones ("*" in the paper's tables): a real patch drawn uniformly,
// turned about its centre by an angle drawn from U(-angle, angle), bilinear with a reflected border. It is done at
// twice the width that the store has, as PhotoTour's 64 pixels are to the network's 32, and all are halved then.
#pragma once

#include <cstdint>
#include <vector>

#include "adasample/base/random/rng.h"

namespace adasample {

struct TurnedCopies {
  int positives = 0;  // patches a class at least; 0: only real ones. Larger classes keep all they have
  double angle = 15;  // degrees: copies turn by up to this either way

  void validate() const;
};

// patches: (n, size, size), n >= 1; adds copies until there are `positives` of them. Copy i depends on the real patches
// and key.at(i) alone.
void add_turned_copies(std::vector<uint8_t>& patches, int size, const TurnedCopies& copies, RngKey key);

// The same for a class cut at twice `size`, and then halved. Without copies wanted, `patches` is of `size` already and
// stays as it is.
void fill_up_class(std::vector<uint8_t>& patches, int size, const TurnedCopies& copies, RngKey key);
inline int cut_size(int size, const TurnedCopies& copies) { return copies.positives > 0 ? 2 * size : size; }

}  // namespace adasample
