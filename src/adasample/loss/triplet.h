// SPDX-License-Identifier: Apache-2.0
// What HT and AHT share: the hinge over squared distances to a mined negative.
#pragma once

#include "adasample/loss/loss.h"

namespace adasample {

class SquaredTriplet : public Loss {
 public:
  SquaredTriplet(const LossOptions& options, Metric metric) : options_(options), metric_(metric) {}
  LossOutput operator()(const at::Tensor& anchors, const at::Tensor& positives,
                        const std::optional<at::Tensor>& quantile) const override;
  Metric metric() const override { return metric_; }

 private:
  LossOptions options_;
  Metric metric_;
};

}  // namespace adasample
