// SPDX-License-Identifier: Apache-2.0
// adasample-hdf5, which adasample starts to read hloc's files: see src/adasample/integrate/hloc/hdf5/hloc_worker.h.
#include "adasample/integrate/hloc/hdf5/hloc_worker.h"

int main(int argc, char** argv) {
  return adasample::serve_hloc_arrays(argc, argv, [](const std::string& path, const std::string& name) {
    return adasample::open_hloc_arrays(std::filesystem::path(path), name);
  });
}
