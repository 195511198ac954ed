// SPDX-License-Identifier: Apache-2.0
// Those who score what an experiment has learned. Each reads its data once and gives what the `eval` command of its
// kind writes: docs/evaluation.md says which judge answers which question.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "adasample/experiment/grid/grid.h"
#include "adasample/model/descriptor.h"

namespace adasample {

class Judge {
 public:
  virtual ~Judge() = default;
  virtual nlohmann::ordered_json score(Descriptor& descriptor) const = 0;
  virtual std::string fingerprint() const = 0;  // of its data: "data_sha256" of what it writes
  // A scene trained on never judges: throws Error where one of these stores may show a scene that is judged on.
  virtual void refuse_trained_on(const std::vector<std::string>& stores) const = 0;
};

// `folder`: where its data are. Throws Error where there are none that it can use.
std::unique_ptr<Judge> make_judge(const GridJudge& judge, const std::string& folder);

}  // namespace adasample
