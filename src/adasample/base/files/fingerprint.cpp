// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/files/fingerprint.h"

#include <fmt/format.h>

#include <algorithm>

#include "adasample/base/bytes/sha256.h"
#include "adasample/base/error.h"
#include "adasample/base/interrupt.h"
#include "adasample/base/parallel.h"
#include "adasample/base/progress.h"

namespace adasample {

std::string fingerprint_files(const std::filesystem::path& root, const std::vector<std::filesystem::path>& files) {
  std::vector<std::string> names, sums(files.size());
  for (const auto& file : files) names.push_back(file.lexically_relative(root).string());
  std::sort(names.begin(), names.end());
  Progress progress("fingerprint", "files", static_cast<int64_t>(files.size()));
  parallel_for(static_cast<int64_t>(names.size()), [&](int64_t i) {
    if (stop_requested()) ADA_THROW_KIND(kInterrupted, "[check] interrupted");
    sums[static_cast<size_t>(i)] = sha256_of_file(root / names[static_cast<size_t>(i)]);
    progress.add(1);
  });
  Sha256 hash;
  for (size_t i = 0; i < names.size(); ++i) hash.update(fmt::format("{}  {}\n", sums[i], names[i]));
  return hash.hex();
}

}  // namespace adasample
