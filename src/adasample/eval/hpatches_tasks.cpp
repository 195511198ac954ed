// SPDX-License-Identifier: Apache-2.0
#include "adasample/eval/hpatches_tasks.h"

#include <algorithm>
#include <span>

#include "adasample/base/error.h"
#include "adasample/base/file_io.h"
#include "adasample/base/log.h"
#include "adasample/base/parallel.h"
#include "adasample/base/sha1.h"
#include "adasample/eval/hpatches_generator.h"
#include "adasample/eval/hpatches_release_lists.h"

namespace adasample {
namespace fs = std::filesystem;

namespace {

constexpr size_t kPairLists = 3;
using Kinds = std::span<const char* const>;

bool holds_any(const std::optional<fs::path>& folder, Kinds kinds, const std::string& split) {
  std::error_code error;
  return folder && std::any_of(kinds.begin(), kinds.end(),
                               [&](const char* kind) { return fs::exists(*folder / list_file(kind, split), error); });
}

// Reads or formats list number i of `tasks`; the text's hash tells whether it is a published one.
class ListHandler {
 public:
  ListHandler(const std::vector<SequenceShape>& shapes, const std::string& split, HpatchesTasks& tasks)
      : shapes_(shapes), split_(split), tasks_(tasks) {}

  void read(size_t i, const fs::path& folder) {
    const fs::path path = folder / list_file(kListKinds[i], split_);
    ADA_CHECK(fs::exists(path), "[tasks] {}: is missing, though other lists of its task are there", path.string());
    const std::string text = read_text(path);
    if (i < kPairLists) {
      pairs(i) = parse_pair_list(text, path.string(), shapes_);
    } else {
      patches(i) = parse_patch_list(text, path.string(), shapes_);
    }
    note(i, true, text);
  }

  void format(size_t i) {
    note(i, false, i < kPairLists ? format_list(pairs(i), shapes_) : format_list(patches(i), shapes_));
  }

 private:
  std::vector<PlacePair>& pairs(size_t i) {
    VerificationLists& lists = tasks_.verification;
    return i == 0 ? lists.positives : i == 1 ? lists.intra : lists.inter;
  }
  std::vector<PatchPlace>& patches(size_t i) {
    return i == kPairLists ? tasks_.retrieval.queries : tasks_.retrieval.distractors;
  }
  void note(size_t i, bool read, const std::string& text) {
    const std::string blob = git_blob_sha1(text), published = published_blob(kListKinds[i], split_);
    tasks_.origins[i] = {list_file(kListKinds[i], split_), read, blob,
                         !published.empty() && blob.starts_with(published)};
  }

  const std::vector<SequenceShape>& shapes_;
  const std::string& split_;
  HpatchesTasks& tasks_;
};

}  // namespace

HpatchesTasks prepare_tasks(std::vector<SequenceShape> shapes, const std::string& split,
                            const std::optional<fs::path>& folder) {
  ADA_CHECK(!folder || fs::is_directory(*folder), "[tasks] {}: expected a folder of task lists", folder->string());
  const Kinds kinds(kListKinds);
  const bool read_pairs = holds_any(folder, kinds.first(kPairLists), split);
  const bool read_patches = holds_any(folder, kinds.subspan(kPairLists), split);
  recall_texture(shapes, split);

  HpatchesTasks tasks;
  tasks.origins.resize(kListKinds.size());
  if (!read_pairs) tasks.verification = draw_verification(shapes);
  if (!read_patches) tasks.retrieval = draw_retrieval(shapes);
  ListHandler handler(shapes, split, tasks);
  parallel_for(std::ssize(kListKinds), [&](int64_t i) {
    const auto kind = static_cast<size_t>(i);
    const bool read = kind < kPairLists ? read_pairs : read_patches;
    read ? handler.read(kind, *folder) : handler.format(kind);
  });

  const auto& [positives, intra, inter] = tasks.verification;
  ADA_CHECK(intra.size() == positives.size() && inter.size() == positives.size(),
            "[tasks] {}: expected as many positives as negatives of each kind, found {}, {} and {}", folder->string(),
            positives.size(), intra.size(), inter.size());
  for (size_t i = 0; i < kListKinds.size() && is_release(shapes, split); ++i) {
    const ListOrigin& origin = tasks.origins[i];
    if (origin.read || origin.published || published_blob(kListKinds[i], split).empty()) continue;
    log_warning(
        "{} as drawn is not the benchmark's: figures of that task may differ from published ones in the last "
        "digits - give its lists by --tasks",
        origin.file);
  }
  return tasks;
}

}  // namespace adasample
