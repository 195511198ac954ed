// SPDX-License-Identifier: Apache-2.0
// What takes the place of onednn/ in builds without ADASAMPLE_ONEDNN.
#include "adasample/engine/onednn_net.h"

#include "adasample/base/error.h"

namespace adasample {
namespace {

[[noreturn]] void missing_onednn() { ADA_THROW("[engine] this program was built without oneDNN (ADASAMPLE_ONEDNN)"); }

}  // namespace

struct OnednnNet::State {};

const char* OnednnNet::problem(Arithmetic) { return "this program was built without oneDNN"; }
OnednnNet::OnednnNet(const LayerTable&, Arithmetic, int64_t, int) { missing_onednn(); }
OnednnNet::~OnednnNet() = default;
std::string OnednnNet::refold(const std::vector<FoldedLayer>&, const Calibration&) { missing_onednn(); }
std::unique_ptr<CpuNet::Workspace> OnednnNet::make_workspace() const { missing_onednn(); }
std::span<const float> OnednnNet::activations(size_t, const Workspace&) const { missing_onednn(); }
void OnednnNet::describe(const uint8_t*, int64_t, float*, Workspace&) const { missing_onednn(); }

}  // namespace adasample
