// SPDX-License-Identifier: Apache-2.0
// The HPatches benchmark asked for by names, as people do: patches and what describes them, or descriptors of any
// program.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "adasample/base/conventions.h"
#include "adasample/data/hpatches/hpatches.h"
#include "adasample/eval/hpatches/hpatches_evaluation.h"
#include "adasample/model/descriptor.h"

namespace adasample {

struct HpatchesRequest {
  std::string root;         // folder of patches, which a model describes
  std::string descriptors;  // or one of descriptors
  std::string delimiter = ",", splits, dist = "l2", tasks;
  HpatchesChoice choice{.split = "a", .part = "test"};
  int size = kPatchSize;  // of the patches to describe: 32, 64 or 65
  bool corrected = false;

  void validate() const;  // throws a usage Error
};

// What describes the patches, and what a result is to say of it.
struct RecordedDescriptor {
  Descriptor* descriptor = nullptr;
  nlohmann::ordered_json record;
};

struct HpatchesAnswer {
  nlohmann::ordered_json record;  // as docs/formats.md has it
  std::string table;              // for people
};

// `open` is called once the folders and lists have been looked at, and not at all for descriptors.
HpatchesAnswer answer_hpatches(const HpatchesRequest& request, const std::function<RecordedDescriptor()>& open);

}  // namespace adasample
