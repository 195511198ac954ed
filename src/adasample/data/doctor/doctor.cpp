// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/doctor/doctor.h"

namespace adasample {

Finding finding_of(const Error& error, const std::filesystem::path& path, const std::string& mend) {
  const std::string text = error.what();
  const size_t begin = text.find(path.string());
  const size_t end = begin == std::string::npos ? begin : text.find(": ", begin + path.string().size());
  if (end == std::string::npos) return {path.string(), text, mend};
  return {text.substr(begin, end - begin), text.substr(end + 2), mend};
}

}  // namespace adasample
