// SPDX-License-Identifier: Apache-2.0
// The network on a CPU as engines see it, whoever computes it (onednn_net.h, simd_net.h): batch norm folded, weights
// packed once and shared by all threads, a workspace for each thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "adasample/model/calibration.h"
#include "adasample/model/folded_weights.h"

namespace adasample {

enum class Arithmetic { kFp32, kInt8 };

class CpuNet {
 public:
  virtual ~CpuNet() = default;

  // Takes over weights, which a new network has none of. Nobody may be running it meanwhile. The calibration serves
  // int8 alone. Empty, or what int8 cannot hold: then the network must not run.
  virtual std::string refold(const std::vector<FoldedLayer>& layers, const Calibration& calibration) = 0;

  // What a thread brings along, so that a call allocates nothing. It holds references to the network.
  struct Workspace {
    virtual ~Workspace() = default;
  };
  virtual std::unique_ptr<Workspace> make_workspace() const = 0;

  // Patches of bytes -> unit descriptors; the workspace is one that this network made.
  virtual void describe(const uint8_t* patches, int64_t count, float* descriptors, Workspace& workspace) const = 0;
};

}  // namespace adasample
