// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/doctor/doctor.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "adasample/base/bytes/sha256.h"
#include "adasample/base/error.h"
#include "adasample/base/files/fingerprint.h"
#include "adasample/base/interrupt.h"
#include "adasample/base/parallel.h"
#include "adasample/base/progress.h"
#include "adasample/image/files/images.h"

namespace adasample {
namespace fs = std::filesystem;

namespace {

constexpr int kSmall = 64;  // pixels; a shorter side has no room for a region and its views

struct Picture {
  std::string hash;
  int width = 0, height = 0;
};

}  // namespace

Diagnosis check_images(const fs::path& folder) {
  const std::vector<fs::path> files = list_images(folder);
  std::vector<std::optional<Picture>> pictures(files.size());
  std::vector<std::vector<Finding>> unreadable(files.size());
  {
    Progress progress("looking", "pictures", static_cast<int64_t>(files.size()));
    parallel_for(static_cast<int64_t>(files.size()), [&](int64_t index) {
      if (stop_requested()) ADA_THROW_KIND(kInterrupted, "[check] interrupted");
      const auto i = static_cast<size_t>(index);
      pictures[i] = attempt(unreadable[i], files[i], "fetch or convert it again; `data images` leaves it out", [&] {
        const GrayImage image = read_image(files[i]);
        return Picture{sha256_of_file(files[i]), image.width, image.height};
      });
      progress.add(1);
    });
  }
  Diagnosis diagnosis{.kind = "folder of photographs", .inventory = {}, .problems = {}, .remarks = {}};
  std::map<std::string, fs::path> first_with;  // by hash
  int64_t readable = 0;
  for (size_t i = 0; i < files.size(); ++i) {
    diagnosis.problems.insert(diagnosis.problems.end(), unreadable[i].begin(), unreadable[i].end());
    if (!pictures[i]) continue;
    const Picture& p = *pictures[i];
    ++readable;
    const auto [first, fresh] = first_with.emplace(p.hash, files[i]);
    if (!fresh) {
      diagnosis.problems.push_back({files[i].string(), fmt::format("the same bytes as {}", first->second.string()),
                                    "remove one; `data images` leaves it out"});
    } else if (std::min(p.width, p.height) < kSmall) {
      diagnosis.remarks.push_back(
          {files[i].string(), fmt::format("{} x {} pixels: too small to hold a patch and its views", p.width, p.height),
           "use the original size if there is one"});
    }
  }
  diagnosis.inventory = {{"pictures", static_cast<int64_t>(files.size())}, {"readable", readable}};
  return diagnosis;
}

std::string images_fingerprint(const fs::path& folder) { return fingerprint_files(folder, list_images(folder)); }

}  // namespace adasample
