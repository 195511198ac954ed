// SPDX-License-Identifier: Apache-2.0
#include "adasample/train/stored_tensor.h"

#include <cstring>

#include "adasample/base/error.h"

namespace adasample {
namespace {

std::string dtype_name(at::ScalarType type) {
  switch (type) {
    case at::kHalf:
      return "F16";
    case at::kFloat:
      return "F32";
    case at::kDouble:
      return "F64";
    case at::kLong:
      return "I64";
    case at::kBool:
      return "BOOL";
    default:
      ADA_THROW_KIND(kBug, "[checkpoint] no name for tensors of {}", at::toString(type));
  }
}

}  // namespace

StoredArray store_tensor(const at::Tensor& tensor) {
  const at::Tensor host = tensor.detach().to(at::kCPU).contiguous();
  return {dtype_name(host.scalar_type()), host.sizes().vec(),
          std::string(static_cast<const char*>(host.data_ptr()), host.nbytes())};
}

void load_tensor(const StoredArrays& arrays, const std::string& name, at::Tensor tensor) {
  const auto found = arrays.find(name);
  ADA_CHECK(found != arrays.end(), "[checkpoint] the array {} is missing - a run of another architecture?", name);
  const StoredArray& array = found->second;
  ADA_CHECK(array.dtype == dtype_name(tensor.scalar_type()) && array.shape == tensor.sizes().vec(),
            "[checkpoint] the array {} is {} [{}], expected {} [{}] - a run of another architecture?", name,
            array.dtype, fmt::join(array.shape, ", "), dtype_name(tensor.scalar_type()),
            fmt::join(tensor.sizes().vec(), ", "));
  ADA_ASSERT(array.bytes.size() == tensor.nbytes());
  at::Tensor host = at::empty(tensor.sizes(), tensor.scalar_type());
  if (!array.bytes.empty()) std::memcpy(host.data_ptr(), array.bytes.data(), array.bytes.size());
  torch::NoGradGuard no_grad;
  tensor.copy_(host);
}

}  // namespace adasample
