// SPDX-License-Identifier: Apache-2.0
#include "adasample/eval/hpatches/lists/hpatches_tasks.h"

#include <algorithm>
#include <span>

#include "adasample/base/bytes/sha1.h"
#include "adasample/base/error.h"
#include "adasample/base/files/file_io.h"
#include "adasample/base/log.h"
#include "adasample/base/parallel.h"
#include "adasample/eval/hpatches/lists/hpatches_generator.h"
#include "adasample/eval/hpatches/lists/hpatches_release_lists.h"

namespace adasample {
namespace fs = std::filesystem;

namespace {

using Kinds = std::span<const char* const>;

constexpr Kinds kTasks[] = {Kinds(kListKinds).first(kVerificationLists), Kinds(kListKinds).subspan(kVerificationLists)};

// The lists of a task that the folder holds.
size_t count_lists(const std::optional<fs::path>& folder, Kinds task, const std::string& split) {
  if (!folder) return 0;
  const auto is_there = [&](const char* kind) {
    std::error_code error;
    return fs::exists(*folder / list_file(kind, split), error);
  };
  return static_cast<size_t>(std::count_if(task.begin(), task.end(), is_there));
}

// Reads or formats list number i of `tasks`; the text's hash tells whether it is a published one.
class ListHandler {
 public:
  ListHandler(const std::vector<SequenceShape>& shapes, const std::string& split, HpatchesTasks& tasks)
      : shapes_(shapes), split_(split), tasks_(tasks) {}

  void read(size_t i, const fs::path& folder) {
    const fs::path path = folder / list_file(kListKinds[i], split_);
    const std::string text = read_text(path);
    if (i < kVerificationLists) {
      pairs(i) = parse_pair_list(text, path.string(), shapes_);
    } else {
      patches(i) = parse_patch_list(text, path.string(), shapes_);
    }
    note(i, true, text);
  }

  void format(size_t i) {
    note(i, false, i < kVerificationLists ? format_list(pairs(i), shapes_) : format_list(patches(i), shapes_));
  }

 private:
  std::vector<PlacePair>& pairs(size_t i) {
    VerificationLists& lists = tasks_.verification;
    return i == 0 ? lists.positives : i == 1 ? lists.intra : lists.inter;
  }
  std::vector<PatchPlace>& patches(size_t i) {
    return i == kVerificationLists ? tasks_.retrieval.queries : tasks_.retrieval.distractors;
  }
  void note(size_t i, bool read, const std::string& text) {
    const std::string blob = git_blob_sha1(text), published = published_blob(kListKinds[i], split_);
    tasks_.origins[i] = {list_file(kListKinds[i], split_), read, blob};
    if (!published.empty()) tasks_.origins[i].published = blob.starts_with(published);
  }

  const std::vector<SequenceShape>& shapes_;
  const std::string& split_;
  HpatchesTasks& tasks_;
};

void check_distractors(const RetrievalLists& lists, const std::vector<SequenceShape>& shapes) {
  const auto& [queries, distractors] = lists;
  for (const PatchPlace& query : queries) {
    const bool found = std::any_of(distractors.begin(), distractors.end(),
                                   [&](const PatchPlace& place) { return place.sequence != query.sequence; });
    ADA_CHECK(found, "[tasks] retrieval: a query of {} needs distractors of other sequences, found none",
              shapes[query.sequence].name);
  }
}

void warn_of_other_lists(const std::vector<SequenceShape>& shapes, const std::string& split,
                         const std::vector<ListOrigin>& lists) {
  if (!has_names_of(shapes, split)) return;
  if (const std::string other = first_other_count(shapes); !other.empty()) {
    log_warning("{}: another version of split {}, whose lists and figures are its own", other, split);
    return;
  }
  for (const ListOrigin& list : lists) {
    if (list.published.value_or(true)) continue;
    log_warning("{} as {} is not the benchmark's: figures of that task may differ from published ones - {}", list.file,
                list.read ? "read" : "drawn",
                list.read ? "lists of another version?" : "give the benchmark's lists by --tasks");
  }
}

}  // namespace

void check_tasks(size_t sequences, const std::string& split, const std::optional<fs::path>& folder) {
  ADA_CHECK(sequences >= 2, "[tasks] verification and retrieval need patches of at least two sequences, found {}",
            sequences);
  if (!folder) return;
  ADA_CHECK(fs::is_directory(*folder), "[tasks] {}: expected a folder of task lists", folder->string());
  ADA_CHECK(count_lists(folder, kListKinds, split) > 0,
            "[tasks] {}: expected {} or other lists of split {}, found none of the five", folder->string(),
            list_file(kListKinds[0], split), split);
  for (const Kinds task : kTasks) {
    if (count_lists(folder, task, split) == 0) continue;
    for (const char* kind : task) {
      const fs::path path = *folder / list_file(kind, split);
      ADA_CHECK(fs::exists(path), "[tasks] {}: is missing, though other lists of its task are there", path.string());
    }
  }
}

HpatchesTasks prepare_tasks(std::vector<SequenceShape> shapes, const std::string& split,
                            const std::optional<fs::path>& folder) {
  check_tasks(shapes.size(), split, folder);
  const bool read_pairs = count_lists(folder, kTasks[0], split) > 0;
  const bool read_patches = count_lists(folder, kTasks[1], split) > 0;
  recall_texture(shapes, split);

  HpatchesTasks tasks;
  tasks.origins.resize(kListKinds.size());
  if (!read_pairs) tasks.verification = draw_verification(shapes);
  if (!read_patches) tasks.retrieval = draw_retrieval(shapes);
  ListHandler handler(shapes, split, tasks);
  parallel_for(std::ssize(kListKinds), [&](int64_t i) {
    const auto kind = static_cast<size_t>(i);
    const bool read = kind < kVerificationLists ? read_pairs : read_patches;
    read ? handler.read(kind, *folder) : handler.format(kind);
  });

  const auto& [positives, intra, inter] = tasks.verification;
  ADA_CHECK(intra.size() == positives.size() && inter.size() == positives.size(),
            "[tasks] {}: expected as many positives as negatives of each kind, found {}, {} and {}", folder->string(),
            positives.size(), intra.size(), inter.size());
  check_distractors(tasks.retrieval, shapes);
  warn_of_other_lists(shapes, split, tasks.origins);
  return tasks;
}

}  // namespace adasample
