// SPDX-License-Identifier: Apache-2.0
// What takes the place of onednn/ in builds without ADASAMPLE_ONEDNN.
#include "adasample/engine/onednn_net.h"

#include "adasample/base/error.h"

namespace adasample {
namespace {

[[noreturn]] void missing_onednn() { ADA_THROW("[engine] this program was built without oneDNN (ADASAMPLE_ONEDNN)"); }

}  // namespace

struct OnednnNet::State {};
struct OnednnNet::Workspace::State {};

bool OnednnNet::available(Arithmetic) { return false; }
OnednnNet::OnednnNet(const LayerTable&, Arithmetic, int64_t, int) { missing_onednn(); }
OnednnNet::~OnednnNet() = default;
void OnednnNet::refold(const std::vector<FoldedLayer>&, const Calibration&) { missing_onednn(); }
int64_t OnednnNet::batch() const { missing_onednn(); }
OnednnNet::Workspace::Workspace(const OnednnNet&) { missing_onednn(); }
OnednnNet::Workspace::~Workspace() = default;
std::span<const float> OnednnNet::Workspace::activations(size_t) const { missing_onednn(); }
void OnednnNet::describe(const uint8_t*, int64_t, float*, Workspace&) const { missing_onednn(); }

}  // namespace adasample
