// SPDX-License-Identifier: Apache-2.0
// The network by oneDNN: batch norm folded, ReLU fused, one layout from end to end. Primitives and packed weights
// are made once and shared; a thread brings its own workspace, and a call allocates nothing but what oneDNN itself
// does.
//   fp32   everywhere
//   int8   layers 2 to 6: activations as bytes in steps of range / 255, weights as signed bytes with a step for each
//          output channel, sums in 32 bits; the first layer, the last and the norm in fp32
// The backward pass of training has its place beside this, on the same layouts.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "adasample/model/calibration.h"
#include "adasample/model/folded_weights.h"

namespace adasample {

class OnednnNet {
 public:
  enum class Arithmetic { kFp32, kInt8 };

  // Whether this program was built with oneDNN, and the machine has what the arithmetic needs: AVX-512 with VNNI for
  // int8. fp32 runs on any.
  static bool available(Arithmetic arithmetic);

  // For up to `batch` patches at a time, by the thread that calls and `threads` - 1 of OpenMP's; weights come with
  // refold().
  OnednnNet(const LayerTable& table, Arithmetic arithmetic, int64_t batch, int threads);
  ~OnednnNet();

  // Takes over weights; primitives stay. Nobody may be running it meanwhile. The calibration serves int8 alone.
  void refold(const std::vector<FoldedLayer>& layers, const Calibration& calibration);

  int64_t batch() const;

  class Workspace {
   public:
    explicit Workspace(const OnednnNet& net);
    ~Workspace();

    // What the last describe() left of layer `index`, all patches of a full batch: fp32, not the last layer.
    std::span<const float> activations(size_t index) const;

   private:
    friend class OnednnNet;
    struct State;
    std::unique_ptr<State> state_;
  };

  // Up to batch() patches of bytes -> unit descriptors.
  void describe(const uint8_t* patches, int64_t count, float* descriptors, Workspace& workspace) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace adasample
