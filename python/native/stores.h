// SPDX-License-Identifier: Apache-2.0
// A patch store, as Python holds it: arrays that view its mapping keep that alive after it is closed.
#pragma once

#include <memory>

#include "adasample/data/patch_store.h"
#include "python/native/border.h"

namespace adasample::python {

class Store {
 public:
  explicit Store(const std::string& folder);
  const PatchStore& get() const;  // throws a usage Error once it is closed
  const std::shared_ptr<const PatchStore>& shared() const { return store_; }
  bool closed() const { return store_ == nullptr; }
  void close() { store_.reset(); }

 private:
  std::string folder_;
  std::shared_ptr<const PatchStore> store_;
};

}  // namespace adasample::python
