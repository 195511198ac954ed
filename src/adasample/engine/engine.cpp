// SPDX-License-Identifier: Apache-2.0
#include "adasample/engine/engine.h"

#include <algorithm>
#include <utility>

#include "adasample/base/error.h"
#include "adasample/base/parallel.h"
#include "adasample/engine/cpu_engine.h"
#include "adasample/engine/cuda_engine.h"
#include "adasample/engine/onednn_net.h"

namespace adasample {

using Arithmetic = OnednnNet::Arithmetic;

std::vector<std::string> engine_names() {
  std::vector<std::string> names = {"reference"};
  if (OnednnNet::available(Arithmetic::kFp32)) names.emplace_back("onednn");
  if (OnednnNet::available(Arithmetic::kInt8)) names.emplace_back("onednn-int8");
  if (cuda_engine_available()) names.emplace_back("cuda");
  return names;
}

std::string default_engine() { return OnednnNet::available(Arithmetic::kFp32) ? "onednn" : "reference"; }

AvailableEngine engine_here(const std::string& name) {
  const std::vector<std::string> names = engine_names();
  if (std::find(names.begin(), names.end(), name) != names.end()) return {name, ""};
  if (name == "onednn-int8" && default_engine() == "onednn") {
    return {"onednn", "onednn-int8 needs a CPU with AVX-512 and VNNI; onednn in fp32 takes its place"};
  }
  if (name == "onednn" || name == "onednn-int8") {
    return {default_engine(),
            fmt::format("this program was built without oneDNN; {} takes the place of {}", default_engine(), name)};
  }
  ADA_THROW_KIND(kUsage, "engine = '{}', must be one of {}", name, fmt::join(names, ", "));
}

std::unique_ptr<Engine> make_engine(const std::string& name, const Weights& weights, std::string label,
                                    const EngineOptions& options) {
  const int threads = options.threads > 0 ? options.threads : thread_count();
  if (name == "reference") return make_reference_engine(weights, std::move(label), threads);
  for (const bool int8 : {false, true}) {
    if (name == (int8 ? "onednn-int8" : "onednn") && OnednnNet::available(int8 ? Arithmetic::kInt8 : Arithmetic::kFp32))
      return make_onednn_engine(weights, std::move(label), threads, int8, options.small_calls);
  }
  if (name == "cuda" && cuda_engine_available()) return make_cuda_engine(weights, std::move(label));
  ADA_THROW_KIND(kUsage, "engine = '{}', must be one of {}", name, fmt::join(engine_names(), ", "));
}

}  // namespace adasample
