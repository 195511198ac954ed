// SPDX-License-Identifier: Apache-2.0
// The network by oneDNN: batch norm folded, ReLU fused, layouts that oneDNN chooses from end to end. Primitives and
// packed weights are made once and shared; a thread brings its own workspace. Nothing is allocated while it runs.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "adasample/model/folded_weights.h"

namespace adasample {

class OnednnNet {
 public:
  // Whether this program was built with it.
  static bool available();

  // For `batch` patches at a time.
  OnednnNet(const std::vector<FoldedLayer>& layers, const LayerTable& table, int64_t batch);
  ~OnednnNet();

  // Other weights of the same shapes; primitives stay. Nobody may be running it meanwhile.
  void refold(const std::vector<FoldedLayer>& layers);

  int64_t batch() const;

  class Workspace {
   public:
    explicit Workspace(const OnednnNet& net);
    ~Workspace();

   private:
    friend class OnednnNet;
    struct State;
    std::unique_ptr<State> state_;
  };

  // Up to batch() patches of bytes -> unit descriptors, on this thread alone.
  void describe(const uint8_t* patches, int64_t count, float* descriptors, Workspace& workspace) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace adasample
