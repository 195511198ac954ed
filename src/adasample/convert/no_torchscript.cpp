// SPDX-License-Identifier: Apache-2.0
#include "adasample/convert/torchscript.h"

#include "adasample/base/error.h"

namespace adasample {

void save_torchscript(const Weights&, const std::filesystem::path& path) {
  ADA_THROW("[export] {}: this program was built without LibTorch, which writes TorchScript", path.string());
}

}  // namespace adasample
