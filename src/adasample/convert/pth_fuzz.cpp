// SPDX-License-Identifier: Apache-2.0
// Any bytes are read or refused; arrays that were read survive another round trip. Behind a 'Z' stands a data.pkl, for
// which the zip file around it is made, so that checksums do not keep the fuzzer out.
#include <cstdlib>

#include "adasample/base/error.h"
#include "adasample/convert/pth.h"
#include "adasample/convert/zip_archive.h"

namespace {

std::string zip_around(std::string_view pickle) {
  adasample::ZipWriter zip;
  zip.add("a/data.pkl", pickle);
  zip.add("a/data/0", std::string(24, '\x3f'));
  zip.add("a/data/1", std::string(8, '\1'));
  zip.add("a/data/2", std::string(8, '\2'));
  return std::move(zip).finish();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace adasample;
  std::string bytes(reinterpret_cast<const char*>(data), size);
  if (bytes.starts_with('Z')) bytes = zip_around(std::string_view(bytes).substr(1));
  std::string written;
  try {
    const Weights weights = parse_pth(bytes, "fuzz");
    for (const auto& [name, array] : weights.arrays) {
      if (name.ends_with("num_batches_tracked")) return 0;  // written as a whole number
    }
    written = format_state_dict(weights);
  } catch (const Error& error) {
    if (error.kind() == Error::Kind::kBug) std::abort();
    return 0;
  }
  if (format_state_dict(parse_pth(written, "again")) != written) std::abort();
  return 0;
}
