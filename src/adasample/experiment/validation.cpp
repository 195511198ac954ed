// SPDX-License-Identifier: Apache-2.0
#include "adasample/experiment/validation.h"

#include "adasample/eval/scores/pair_evaluation.h"

namespace adasample {

double Validation::score(Descriptor& descriptor) const {
  return dense_fpr(positives_, source_of(store_), descriptor).value;
}

}  // namespace adasample
