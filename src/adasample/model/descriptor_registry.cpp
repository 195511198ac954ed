// SPDX-License-Identifier: Apache-2.0
#include "adasample/model/descriptor_registry.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "adasample/base/error.h"

namespace adasample {
namespace {

struct Registry {
  std::mutex mutex;
  std::vector<DescriptorKind> kinds;
};

Registry& registry() {
  static Registry all;
  return all;
}

}  // namespace

void register_descriptor(DescriptorKind kind) {
  ADA_ASSERT(!kind.name.empty() && !kind.devices.empty() && kind.problem && kind.make);
  const std::lock_guard lock(registry().mutex);
  std::vector<DescriptorKind>& kinds = registry().kinds;
  const auto same =
      std::find_if(kinds.begin(), kinds.end(), [&](const auto& other) { return other.name == kind.name; });
  if (same != kinds.end()) {
    *same = std::move(kind);
  } else {
    kinds.push_back(std::move(kind));
  }
}

std::vector<DescriptorKind> registered_descriptors() {
  const std::lock_guard lock(registry().mutex);
  return registry().kinds;
}

}  // namespace adasample
