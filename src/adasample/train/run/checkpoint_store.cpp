// SPDX-License-Identifier: Apache-2.0
#include "adasample/train/run/checkpoint_store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <set>

#include "adasample/base/error.h"
#include "adasample/base/files/file_io.h"
#include "adasample/base/log.h"
#include "adasample/base/text.h"

namespace adasample {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "step_", kOld = ".old";

// The iteration in "step_000001500"; nothing for any other name.
std::optional<int64_t> iteration_of(const std::string& name) {
  if (!name.starts_with(kPrefix)) return std::nullopt;
  const std::string digits = name.substr(kPrefix.size());
  if (digits.empty() || digits.size() > 18 || digits.find_first_not_of("0123456789") != std::string::npos) {
    return std::nullopt;
  }
  return std::stoll(digits);
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename().string());
  return names;
}

// ".step_N.next", ".step_N.removing", ".step_N.writing-PID", and "..step_N.next.writing-PID" on the way to the first.
bool is_left_over(const std::string& name) {
  return name.starts_with("." + std::string(kPrefix)) || name.starts_with(".." + std::string(kPrefix));
}

}  // namespace

std::vector<int64_t> kept_checkpoints(const std::map<int64_t, int64_t>& best_of, const KeepOptions& keep) {
  std::set<int64_t> kept;
  int64_t newest = 0;
  for (auto stored = best_of.rbegin(); stored != best_of.rend(); ++stored) {
    const int64_t iteration = stored->first;
    const bool wanted =
        newest++ < std::max<int64_t>(keep.last, 1) || (keep.every > 0 && iteration > 0 && iteration % keep.every == 0);
    if (!wanted) continue;
    kept.insert(iteration);
    // Each can be resumed from, so the best that each refers to is needed too.
    if (best_of.contains(stored->second)) kept.insert(stored->second);
  }
  return {kept.begin(), kept.end()};
}

CheckpointStore::CheckpointStore(const fs::path& folder) : folder_(folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  ADA_CHECK(!error, "[checkpoint] {}: cannot be created: {}", folder.string(), error.message());
  take_back_replaced();
  for (const std::string& name : names_in(folder)) {
    if (is_left_over(name)) remove_tree(folder / name);
    if (const auto iteration = iteration_of(name)) best_of_[*iteration] = -1;
  }
  for (auto& [iteration, best] : best_of_) {
    if (checkpoint_damage(path_of(iteration))) continue;  // newest() says so when it is asked for
    best = CheckpointState::parse(read_text(path_of(iteration) / "state.json"), path_of(iteration).string())
               .best_iteration;
  }
}

CheckpointStore::~CheckpointStore() {
  if (writer_.valid()) writer_.wait();
}

fs::path CheckpointStore::path_of(int64_t iteration) const {
  return folder_ / fmt::format("{}{:09}", kPrefix, iteration);
}

void CheckpointStore::write(Checkpoint checkpoint, std::function<void()> first) {
  wait();
  writer_ = std::async(std::launch::async, [this, moved = std::move(checkpoint), called = std::move(first)] {
    try {
      write_now(moved, called);
    } catch (const Error& error) {
      ADA_THROW("{} - once that is mended, --resume goes on from the last checkpoint, which is untouched",
                error.what());
    }
  });
}

void CheckpointStore::check() {
  if (writer_.valid() && writer_.wait_for(std::chrono::seconds(0)) == std::future_status::ready) writer_.get();
}

void CheckpointStore::wait() {
  if (writer_.valid()) writer_.get();
}

void CheckpointStore::write_now(const Checkpoint& checkpoint, const std::function<void()>& first) {
  first();
  const int64_t iteration = checkpoint.state.iteration;
  if (best_of_.contains(iteration)) {
    replace(checkpoint);  // resumed, and stopped before it got further; or evaluated since, or called otherwise
  } else {
    write_checkpoint(checkpoint, path_of(iteration));
  }
  best_of_[iteration] = checkpoint.state.best_iteration;
  prune();
}

// There is a whole checkpoint under the name at every moment, where the file system can exchange two names. Where it
// cannot (NFS), the one before waits under ".step_N.old" until the new one has its name: take_back_replaced() finds it.
void CheckpointStore::replace(const Checkpoint& checkpoint) {
  const fs::path path = path_of(checkpoint.state.iteration);
  const fs::path next = folder_ / ("." + path.filename().string() + ".next");
  remove_tree(next);
  write_checkpoint(checkpoint, next);
  if (::renameat2(AT_FDCWD, next.c_str(), AT_FDCWD, path.c_str(), RENAME_EXCHANGE) != 0) {
    ADA_CHECK(errno == EINVAL || errno == ENOSYS, "[checkpoint] {}: cannot be replaced: {}", path.string(),
              errno_text(errno));
    const fs::path old = old_of(path);
    remove_tree(old);
    std::error_code error;
    fs::rename(path, old, error);
    if (!error) fs::rename(next, path, error);
    ADA_CHECK(!error, "[checkpoint] {}: cannot be replaced: {}", path.string(), error.message());
    sync_path(folder_);
    remove_tree(old);
  }
  sync_path(folder_);
  remove_tree(next);
}

fs::path CheckpointStore::old_of(const fs::path& path) const {
  return folder_ / ("." + path.filename().string() + std::string(kOld));
}

void CheckpointStore::take_back_replaced() {
  for (const std::string& name : names_in(folder_)) {
    if (!name.starts_with("." + std::string(kPrefix)) || !name.ends_with(kOld)) continue;
    const std::string checkpoint = name.substr(1, name.size() - 1 - kOld.size());
    if (!iteration_of(checkpoint) || fs::exists(folder_ / checkpoint)) continue;
    std::error_code error;
    fs::rename(folder_ / name, folder_ / checkpoint, error);
    ADA_CHECK(!error, "[checkpoint] {}: cannot be given its name back: {}", (folder_ / name).string(), error.message());
    sync_path(folder_);
  }
}

// Renamed before it is emptied: no name of a checkpoint ever stands for half of one.
void CheckpointStore::set_aside(const fs::path& path) {
  const fs::path aside = folder_ / ("." + path.filename().string() + ".removing");
  std::error_code error;
  fs::rename(path, aside, error);
  ADA_CHECK(!error, "[checkpoint] {}: cannot be removed: {}", path.string(), error.message());
  remove_tree(aside);
}

void CheckpointStore::prune() {
  const std::vector<int64_t> kept = kept_checkpoints(best_of_, keep_);
  std::erase_if(best_of_, [&](const auto& stored) {
    if (std::binary_search(kept.begin(), kept.end(), stored.first)) return false;
    set_aside(path_of(stored.first));
    return true;
  });
}

Checkpoint CheckpointStore::read(int64_t iteration) const {
  Checkpoint checkpoint = read_checkpoint(path_of(iteration));
  ADA_CHECK(checkpoint.state.iteration == iteration, "[checkpoint] {}: is of iteration {}", path_of(iteration).string(),
            checkpoint.state.iteration);
  return checkpoint;
}

std::optional<Checkpoint> CheckpointStore::newest() {
  while (!best_of_.empty()) {
    const int64_t iteration = best_of_.rbegin()->first;
    const fs::path path = path_of(iteration);
    const auto damage = checkpoint_damage(path);
    if (!damage) return read(iteration);
    log_warning("[checkpoint] {}; going back to the checkpoint before it", *damage);
    std::string aside = path.string() + ".damaged";
    for (int i = 2; fs::exists(aside); ++i) aside = fmt::format("{}.damaged-{}", path.string(), i);
    std::error_code error;
    fs::rename(path, aside, error);
    ADA_CHECK(!error, "[checkpoint] {}: cannot be set aside: {}", path.string(), error.message());
    best_of_.erase(iteration);
  }
  return std::nullopt;
}

}  // namespace adasample
