// SPDX-License-Identifier: Apache-2.0
// The network by kernels of our own on Highway (simd/): batch norm folded, ReLU fused, convolutions by Winograd's
// transforms.
//   fp32   every layer
//   int8   layers 2 to 6: activations as bytes in steps of range / 255; at Winograd's points 16 bits with sums in 32,
//          where weights keep 11 bits or more; the last layer in 16 bits, the first and the norm in fp32. With VNNI the
//          layers of stride 2 and the last in 8 bits, without Winograd's points
// A few patches at a time go through all layers, so that activations stay in the cache.
#pragma once

#include "adasample/engine/cpu_net.h"

namespace adasample {

namespace simd {
struct Kernels;
}

class SimdNet : public CpuNet {
 public:
  // Null where the network runs here, else why it does not: it needs a program built with Highway, and SSE 4 or NEON.
  static const char* problem();
  // The instruction set that runs: the machine's best, or ADASAMPLE_MAX_ISA. Empty: none.
  static std::string instruction_set();

  // kernels: null for the best; the problem must be none.
  SimdNet(const LayerTable& table, Arithmetic arithmetic, const simd::Kernels* kernels = nullptr);
  ~SimdNet() override;

  std::string refold(const std::vector<FoldedLayer>& layers, const Calibration& calibration) override;
  std::unique_ptr<Workspace> make_workspace() const override;
  void describe(const uint8_t* patches, int64_t count, float* descriptors, Workspace& workspace) const override;

 private:
  struct State;
  struct Work;  // a workspace
  std::unique_ptr<State> state_;
};

}  // namespace adasample
