// SPDX-License-Identifier: Apache-2.0
// adasample-hdf5 with a reader that does what damaged files make HDF5 do, by the name of the picture.
#include <unistd.h>

#include <cstdlib>
#include <limits>

#include "adasample/base/error.h"
#include "adasample/integrate/hloc/hdf5/hloc_worker.h"

namespace {

using adasample::HlocArrays;

HlocArrays misbehave(const std::string& picture) {
  if (picture == "crash") std::abort();
  if (picture == "hang") {
    for (;;) ::usleep(1000);
  }
  if (picture == "memory") {
    std::vector<float> much;
    for (size_t n = 1 << 20;; n *= 2) much.assign(n, 1);
  }
  if (picture == "exit") ::_exit(0);
  if (picture == "many") return {true, std::vector<float>(2 * adasample::kMostHlocKeypoints + 2)};
  if (picture == "odd") return {true, {1, 2, 3}};
  if (picture == "nan") return {true, {1, std::numeric_limits<float>::quiet_NaN()}};
  if (picture == "error") ADA_THROW("[hloc] f.h5: a line of its own\nand another\x1b[2J");
  if (picture == "good") return {true, {1, 2, 3, 4}, {5, 6}, {}};
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  return adasample::serve_hloc_arrays(argc, argv, [](const std::string& path, const std::string&) {
    ADA_CHECK(::access(path.c_str(), R_OK) == 0, "[hloc] {} cannot be read", path);
    return misbehave;
  });
}
