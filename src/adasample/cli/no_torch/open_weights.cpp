// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/error.h"
#include "adasample/cli/model_argument.h"

namespace adasample {

std::unique_ptr<Descriptor> open_weights(const std::string& file, const std::string&) {
  ADA_THROW("[model] {}: this program was built without LibTorch and cannot run networks", file);
}

}  // namespace adasample
