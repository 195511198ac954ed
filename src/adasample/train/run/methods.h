// SPDX-License-Identifier: Apache-2.0
// The field's methods: what each minimises, where it was published, and which options of `train` make it. `adasample
// methods` lists them, --preset NAME trains one. Free of Torch.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace adasample {

struct Method {
  std::string name;      // of --preset
  std::string equation;  // what a pair costs, d_pos and d_neg being its distances
  std::string source;    // who published it, where
  // Options of `train`, without dashes, beside those of `robust` for the device.
  std::vector<std::pair<std::string, std::string>> settings;
  std::string departs;  // where the preset is not what was published; empty: nowhere that is known

  // The value of a setting, else `usual`.
  std::string setting(const std::string& option, const std::string& usual) const;
  // Arithmetic of one pair in one iteration, HardNet's being 1: three passes for each patch learned from, one for each
  // candidate that is embedded.
  double cost() const;
};

// In the order in which they are listed: our own first.
const std::vector<Method>& methods();
std::vector<std::string> method_names();
// Throws a usage Error that lists the names there are.
const Method& find_method(const std::string& name);

}  // namespace adasample
