// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "adasample/convert/complete_arrays.h"
#include "adasample/convert/pth.h"
#include "adasample/convert/zip_archive.h"

namespace adasample {
namespace {

// Pickle protocol 2, the few opcodes it takes; values may be nested by passing one's bytes to another.
namespace op {

const std::string kMark = "(", kEmptyDict = "}", kSetItems = "u", kReduce = "R", kEmptyTuple = ")", kFalse = "\x89",
                  kTuple = "t", kPersistentId = "Q";

template <typename Number>
std::string with(const char* opcode, Number number) {
  return opcode + std::string(reinterpret_cast<const char*>(&number), sizeof number);
}
std::string integer(int64_t value) { return with("\x8a\x08", value); }  // LONG1 of eight bytes
std::string text(std::string_view value) { return with("X", static_cast<uint32_t>(value.size())).append(value); }
std::string global(const std::string& module, const std::string& name) { return "c" + module + "\n" + name + "\n"; }
std::string tuple(const std::vector<int64_t>& numbers) {
  std::string bytes = kMark;
  for (const int64_t number : numbers) bytes += integer(number);
  return bytes + kTuple;
}
std::string empty_ordered_dict() { return global("collections", "OrderedDict") + kEmptyTuple + kReduce; }

}  // namespace op

std::vector<int64_t> packed_strides(const std::vector<int64_t>& shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  // Beside an extent of 0 the others may be of any size; no number is reached by any stride.
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return strides;
  for (size_t d = shape.size(); d-- > 1;) strides[d - 1] = strides[d] * shape[d];
  return strides;
}

// torch._utils._rebuild_tensor_v2(storage, offset, size, stride, requires_grad, backward_hooks)
std::string tensor(const std::string& type, const std::string& key, const NamedArray& array) {
  const std::string storage = op::kMark + op::text("storage") + op::global("torch", type) + op::text(key) +
                              op::text("cpu") + op::integer(std::ssize(array.values)) + op::kTuple + op::kPersistentId;
  return op::global("torch._utils", "_rebuild_tensor_v2") + op::kMark + storage + op::integer(0) +
         op::tuple(array.shape) + op::tuple(packed_strides(array.shape)) + op::kFalse + op::empty_ordered_dict() +
         op::kTuple + op::kReduce;
}

}  // namespace

std::string format_state_dict(const Weights& weights, bool nested) {
  const std::string folder = "archive/";
  std::vector<std::string> storages;
  std::string items;
  for (const auto& [name, array] : weights.arrays) {
    const std::string key = std::to_string(storages.size());
    const bool counter = name.ends_with("num_batches_tracked");
    items += op::text(name) + tensor(counter ? "LongStorage" : "FloatStorage", key, array);
    if (counter) {
      const auto value = static_cast<int64_t>(array.values.at(0));
      storages.emplace_back(reinterpret_cast<const char*>(&value), sizeof value);
    } else {
      storages.emplace_back(reinterpret_cast<const char*>(array.values.data()), array.values.size() * sizeof(float));
    }
  }
  ZipWriter zip;
  const std::string state_dict = op::empty_ordered_dict() + op::kMark + items + op::kSetItems;
  const std::string checkpoint = op::kEmptyDict + op::kMark + op::text("epoch") + op::integer(0) +
                                 op::text("state_dict") + state_dict + op::kSetItems;
  zip.add(folder + "data.pkl", "\x80\x02" + (nested ? checkpoint : state_dict) + ".");
  for (size_t i = 0; i < storages.size(); ++i) zip.add(folder + "data/" + std::to_string(i), storages[i]);
  zip.add(folder + "version", "3\n");
  return std::move(zip).finish();
}

std::string format_pth(const Weights& weights) {
  return format_state_dict(complete_arrays(weights), /*nested=*/weights.network().plain() != nullptr);
}

}  // namespace adasample
