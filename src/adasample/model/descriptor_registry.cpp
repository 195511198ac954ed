// SPDX-License-Identifier: Apache-2.0
#include "adasample/model/descriptor_registry.h"

#include <algorithm>
#include <utility>

#include "adasample/base/error.h"

namespace adasample {
namespace {

std::vector<DescriptorKind>& kinds() {
  static std::vector<DescriptorKind> all;
  return all;
}

}  // namespace

void register_descriptor(DescriptorKind kind) {
  ADA_ASSERT(!kind.name.empty() && !kind.devices.empty() && kind.problem && kind.make);
  const auto same = std::find_if(kinds().begin(), kinds().end(),
                                 [&](const DescriptorKind& other) { return other.name == kind.name; });
  if (same != kinds().end()) {
    *same = std::move(kind);
  } else {
    kinds().push_back(std::move(kind));
  }
}

const std::vector<DescriptorKind>& registered_descriptors() { return kinds(); }

}  // namespace adasample
