// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/error.h"
#include "adasample/integrate/matching/pair_list.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::vector<std::string> names = {"a.jpg", "b.jpg", "c/d.png"};
  try {
    const adasample::PairList list = adasample::parse_pair_list(text, "fuzz", names);
    ADA_ASSERT(adasample::parse_pair_list(adasample::format_pair_list(list.pairs, names), "again", names).pairs ==
               list.pairs);
  } catch (const adasample::Error& error) {
    if (error.kind() == adasample::Error::Kind::kBug) throw;
  }
  return 0;
}
