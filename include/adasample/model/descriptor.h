// SPDX-License-Identifier: Apache-2.0
// Anything that turns patches into vectors: a trained network, an engine, SIFT, a csv. Evaluation knows only this.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "adasample/base/conventions.h"
#include "adasample/model/pair_metric.h"

namespace adasample {

class Descriptor {
 public:
  virtual ~Descriptor() = default;
  virtual std::string name() const = 0;
  virtual int dimension() const = 0;
  // The width in pixels of the patches it reads; others may be halved, or refused.
  virtual int patch_size() const { return kPatchSize; }
  // How its rows are compared where that was learned; null: by their Euclidean distance.
  virtual const PairMetric* metric() const { return nullptr; }

  // Describes `count` patches of size x size pixels (uint8, packed): out is float [count, dimension()].
  // Callers may pass any count; implementations chunk as they like.
  virtual void describe(std::span<const uint8_t> patches, int64_t count, int size, std::span<float> out) = 0;
};

}  // namespace adasample
