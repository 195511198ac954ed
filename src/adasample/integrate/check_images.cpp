// SPDX-License-Identifier: Apache-2.0
#include "adasample/integrate/check_images.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "adasample/base/error.h"
#include "adasample/base/interrupt.h"
#include "adasample/base/parallel.h"
#include "adasample/base/progress.h"
#include "adasample/base/sha256.h"
#include "adasample/integrate/images.h"

namespace adasample {
namespace fs = std::filesystem;

namespace {

constexpr int kSmall = 64;  // pixels; a shorter side has no room for a region and its views

struct Picture {
  std::string hash, problem;
  int width = 0, height = 0;
};

Picture look_at(const fs::path& path) {
  Picture picture;
  try {
    picture.hash = sha256_of_file(path);
    const GrayImage image = read_image(path);
    picture.width = image.width;
    picture.height = image.height;
  } catch (const Error& error) {
    if (error.kind() != Error::Kind::kWork) throw;
    picture.problem = error.what();
  }
  return picture;
}

}  // namespace

Diagnosis check_images(const fs::path& folder) {
  const std::vector<fs::path> files = list_images(folder);
  std::vector<Picture> pictures(files.size());
  {
    Progress progress("looking", "pictures", static_cast<int64_t>(files.size()));
    parallel_for(static_cast<int64_t>(files.size()), [&](int64_t i) {
      if (stop_requested()) ADA_THROW_KIND(kInterrupted, "[check] interrupted");
      pictures[static_cast<size_t>(i)] = look_at(files[static_cast<size_t>(i)]);
      progress.add(1);
    });
  }
  Diagnosis diagnosis{.kind = "folder of photographs", .inventory = {}, .problems = {}, .remarks = {}};
  std::map<std::string, fs::path> first_with;  // by hash
  int64_t readable = 0;
  for (size_t i = 0; i < files.size(); ++i) {
    const Picture& p = pictures[i];
    const std::string path = files[i].string();
    if (!p.problem.empty()) {
      diagnosis.problems.push_back({path, p.problem, "fetch or convert it again; `data images` leaves it out"});
      continue;
    }
    ++readable;
    const auto [first, fresh] = first_with.emplace(p.hash, files[i]);
    if (!fresh) {
      diagnosis.problems.push_back({path, fmt::format("the same bytes as {}", first->second.string()),
                                    "remove one; `data images` leaves it out"});
    } else if (std::min(p.width, p.height) < kSmall) {
      diagnosis.remarks.push_back(
          {path, fmt::format("{} x {} pixels: too small to hold a patch and its views", p.width, p.height),
           "use the original size if there is one"});
    }
  }
  diagnosis.inventory = {{"pictures", static_cast<int64_t>(files.size())}, {"readable", readable}};
  return diagnosis;
}

std::string images_fingerprint(const fs::path& folder) {
  Sha256 hash;
  for (const fs::path& path : list_images(folder)) {
    const std::string line = fmt::format("{}  {}\n", sha256_of_file(path), path.lexically_relative(folder).string());
    hash.update({reinterpret_cast<const uint8_t*>(line.data()), line.size()});
  }
  return hash.hex();
}

}  // namespace adasample
