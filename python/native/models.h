// SPDX-License-Identifier: Apache-2.0
// What describes patches, as Python holds it: a model of this library, or a function of the user's.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "adasample/engine/open_model.h"
#include "python/native/border.h"

namespace adasample::python {

class Model {
 public:
  explicit Model(OpenedModel opened) : opened_(std::move(opened)) {}

  const OpenedModel& opened() const { return opened_; }
  Descriptor& descriptor() { return *opened_.descriptor; }
  nlohmann::ordered_json record() const;  // for results; reads the weights again

 private:
  OpenedModel opened_;
};

}  // namespace adasample::python
