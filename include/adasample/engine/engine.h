// SPDX-License-Identifier: Apache-2.0
// Describes patches, and nothing else: no LibTorch, threads of its own; a call allocates nothing, but for oneDNN's own
// small lists.
//   reference    plain loops: the oracle
//   onednn       fp32 by oneDNN
//   onednn-int8  oneDNN with int8 activations and weights between the first layer and the last (model/calibration.h)
//   simd         fp32 by own kernels on Highway, for any CPU with vectors
//   simd-int8    the same with activations of 8 bits between the first layer and the last
//   cuda         bf16 by own kernels on a Hopper GPU
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "adasample/model/descriptor.h"
#include "adasample/model/weights.h"

namespace adasample {

struct EngineOptions {
  int threads = 0;          // 0: thread_count()
  bool small_calls = true;  // onednn: also primitives for a patch or a few: quick answers, for some memory
};

class Engine : public Descriptor {
 public:
  // Other weights of the same architecture, in place. Nobody may be describing meanwhile.
  virtual void refold(const Weights& weights) = 0;
};

// Those that this build has and this machine runs, slowest first.
std::vector<std::string> engine_names();
// What a CPU describes with unless told otherwise: the fastest one in fp32, by the CPU's instruction set.
std::string default_engine();
// `name`, or the next best where this build or machine does not run it, and then why. Throws a usage Error for a name
// that is not known.
struct AvailableEngine {
  std::string name, note;
};
AvailableEngine engine_here(const std::string& name);

// An engine may be used from several threads at once. `label`: its name() in reports. Throws a usage Error for a name
// that is not known or cannot run here, and Error for weights of another architecture.
std::unique_ptr<Engine> make_engine(const std::string& name, const Weights& weights, std::string label,
                                    const EngineOptions& options = {});

}  // namespace adasample
