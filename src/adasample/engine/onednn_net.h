// SPDX-License-Identifier: Apache-2.0
// The network by oneDNN: batch norm folded, ReLU fused, one layout from end to end. Primitives and packed weights
// are made once and shared; a call allocates nothing but what oneDNN itself does.
//   fp32   everywhere
//   int8   layers 2 to 6: activations as bytes in steps of range / 255, weights as signed bytes with a step for each
//          output channel, sums in 32 bits; the first layer, the last and the norm in fp32
#pragma once

#include <span>

#include "adasample/engine/cpu_net.h"

namespace adasample {

class OnednnNet : public CpuNet {
 public:
  // Null where the network runs here, else why it does not: it needs a program built with oneDNN, and for int8
  // AVX-512 with VNNI.
  static const char* problem(Arithmetic arithmetic);

  // For up to `batch` patches a call, by the thread that calls and `threads` - 1 of OpenMP's; the problem must be none.
  OnednnNet(const LayerTable& table, Arithmetic arithmetic, int64_t batch, int threads);
  ~OnednnNet() override;

  std::string refold(const std::vector<FoldedLayer>& layers, const Calibration& calibration) override;
  std::unique_ptr<Workspace> make_workspace() const override;
  void describe(const uint8_t* patches, int64_t count, float* descriptors, Workspace& workspace) const override;

  // What the last describe() left of layer `index`, all patches of a full batch: fp32, not the last layer.
  std::span<const float> activations(size_t index, const Workspace& workspace) const;

 private:
  struct State;
  struct Work;  // a workspace
  std::unique_ptr<State> state_;
};

}  // namespace adasample
