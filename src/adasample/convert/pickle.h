// SPDX-License-Identifier: Apache-2.0
// Python's pickles, read without running anything: a stack machine over the opcodes that state dicts are made of, and
// exactly the callables they need, each of which only makes a value. Anything else is an Error that names it.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "adasample/convert/byte_cursor.h"

namespace adasample {

struct PickleValue {
  enum class Kind { kNone, kBool, kInteger, kLong, kFloat, kString, kTuple, kList, kDict, kGlobal, kStorage, kTensor };
  Kind kind = Kind::kNone;
  int64_t integer = 0;         // kBool, kInteger
  std::string_view text = {};  // kString; kGlobal: "torch.FloatStorage"; kLong: the bytes of one beyond 64 bits
  // In order. kDict: key, value, key, value; kStorage: the persistent id; kTensor: storage, offset, sizes, strides, ..
  std::vector<const PickleValue*> items = {};

  bool is(std::string_view string) const { return kind == Kind::kString && text == string; }
  // The last value of a dict under `key`, or nullptr.
  const PickleValue* find(std::string_view key) const;
};

// Values point into one another, in circles too, and into the bytes that were read; they live and die together.
class Pickle {
 public:
  // Reads one pickle, up to its STOP. Throws Error after that many opcodes.
  explicit Pickle(ByteCursor& cursor, size_t most_steps = kMostSteps);

  const PickleValue& root() const { return *root_; }
  const std::deque<PickleValue>& values() const { return values_; }

  static constexpr size_t kMostSteps = 1 << 20;

 private:
  std::deque<PickleValue> values_;
  std::deque<std::string> names_;  // of globals
  const PickleValue* root_ = nullptr;

  class Machine;
};

}  // namespace adasample
