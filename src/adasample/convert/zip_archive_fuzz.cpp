// SPDX-License-Identifier: Apache-2.0
// Any bytes are read or refused, and what is given out is bounded by their number.
#include <cstdint>
#include <cstdlib>

#include "adasample/base/error.h"
#include "adasample/convert/zip_archive.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace adasample;
  size_t given = 0;
  try {
    ZipArchive archive({reinterpret_cast<const char*>(data), size}, "fuzz");
    const std::string folder = archive.folder_of("data.pkl");
    for (const char* name : {"data.pkl", "data/0", "data/1", "version"}) {
      if (archive.contains(folder + name)) given += archive.read(folder + name).size();
    }
  } catch (const Error& error) {
    if (error.kind() == Error::Kind::kBug) std::abort();
  }
  if (given > ZipArchive::kMostInflation * size) std::abort();
  return 0;
}
