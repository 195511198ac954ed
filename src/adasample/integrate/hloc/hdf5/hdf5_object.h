// SPDX-License-Identifier: Apache-2.0
// HDF5's identifiers as objects that close themselves; not for other modules.
#pragma once

#include <hdf5.h>

#include <string>
#include <utility>

#include "adasample/base/error.h"

namespace adasample {

class Hdf5Object {
 public:
  // `closer` is H5Fclose, H5Gclose, .. Throws Error "[hloc] where: HDF5 cannot what" for an invalid identifier.
  Hdf5Object(hid_t id, herr_t (*closer)(hid_t), const std::string& where, const char* what) : id_(id), close_(closer) {
    ADA_CHECK(id_ >= 0, "[hloc] {}: HDF5 cannot {}", where, what);
  }
  ~Hdf5Object() {
    if (id_ >= 0) close_(id_);
  }
  Hdf5Object(Hdf5Object&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Hdf5Object(const Hdf5Object&) = delete;
  Hdf5Object& operator=(const Hdf5Object&) = delete;
  Hdf5Object& operator=(Hdf5Object&&) = delete;

  hid_t id() const { return id_; }
  // Now, so that a failure is heard of.
  bool close() { return close_(std::exchange(id_, -1)) >= 0; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

// From here on the library's own messages, many lines an error, are not shown in this thread; ours say what failed. At
// its end they are forgotten: a thread that ends with some does not free them. To stand wherever another thread may
// have made the file.
class HushedHdf5 {
 public:
  HushedHdf5() { H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); }
  ~HushedHdf5() { H5Eclear2(H5E_DEFAULT); }
  HushedHdf5(const HushedHdf5&) = delete;
  HushedHdf5& operator=(const HushedHdf5&) = delete;
};

// To be called before anything else. It loads no code that a file asks for. And it does not tidy up when the process
// ends, where it crashes after a write that failed.
inline void set_up_hdf5() {
  H5dont_atexit();
  H5PLset_loading_state(0);
  const HushedHdf5 hushed;
}

}  // namespace adasample
