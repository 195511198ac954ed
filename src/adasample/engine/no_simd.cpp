// SPDX-License-Identifier: Apache-2.0
// What takes the place of simd/ in builds without ADASAMPLE_HIGHWAY.
#include "adasample/base/error.h"
#include "adasample/engine/simd_net.h"

namespace adasample {
namespace {

[[noreturn]] void missing_highway() {
  ADA_THROW("[engine] this program was built without Highway (ADASAMPLE_HIGHWAY)");
}

}  // namespace

struct SimdNet::State {};

const char* SimdNet::problem() { return "this program was built without Highway"; }
std::string SimdNet::instruction_set() { return ""; }
SimdNet::SimdNet(const LayerTable&, Arithmetic, const simd::Kernels*) { missing_highway(); }
SimdNet::~SimdNet() = default;
std::string SimdNet::refold(const std::vector<FoldedLayer>&, const Calibration&) { missing_highway(); }
std::unique_ptr<CpuNet::Workspace> SimdNet::make_workspace() const { missing_highway(); }
void SimdNet::describe(const uint8_t*, int64_t, float*, Workspace&) const { missing_highway(); }

}  // namespace adasample
