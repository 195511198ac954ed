// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "adasample/base/error.h"
#include "adasample/base/files/npy.h"

// Whatever the bytes: an Error, or a header whose data lies inside the file and survives being written again.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace adasample;
  NpyHeader header;
  try {
    header = parse_npy_header({data, size}, "fuzz.npy");
  } catch (const Error& error) {
    if (error.kind() == Error::Kind::kBug) __builtin_trap();
    return 0;
  }
  if (header.data_offset + header.data_size != size) __builtin_trap();
  std::string again = format_npy_header(header.type, header.shape);
  again.append(reinterpret_cast<const char*>(data) + header.data_offset, header.data_size);
  const NpyHeader copy = parse_npy_header({reinterpret_cast<const uint8_t*>(again.data()), again.size()}, "again.npy");
  if (copy.shape != header.shape || copy.type != header.type) __builtin_trap();
  return 0;
}
