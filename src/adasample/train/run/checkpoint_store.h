// SPDX-License-Identifier: Apache-2.0
// The checkpoints of a run: written on a thread of their own, so that training goes on meanwhile; which of them are
// kept; and the newest that is whole. Names: step_000001500, the number being the next iteration to do.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <future>
#include <map>
#include <optional>

#include "adasample/model/checkpoint.h"

namespace adasample {

struct KeepOptions {
  int64_t last = 2;   // the newest so many
  int64_t every = 0;  // and those of every so many iterations; 0: none. The best on validation data is always kept.
};

class CheckpointStore {
 public:
  // Removes what a killed process left half written.
  explicit CheckpointStore(const std::filesystem::path& folder);
  ~CheckpointStore();  // waits for the writer

  // Waits for the writer, which looks at them.
  void keep(const KeepOptions& options) {
    wait();
    keep_ = options;
  }

  // Hands the checkpoint to the writer and returns; one of the same iteration is replaced. Waits only where the one
  // before is still being written. `first` is called by the writer before anything else. Throws what writing the one
  // before threw.
  void write(Checkpoint checkpoint, std::function<void()> first);
  // Throws what the writer threw, if it has; does not wait.
  void check();
  // Waits for the writer.
  void wait();

  // The newest checkpoint that is whole. One that is not is renamed to NAME.damaged, with a warning. Throws Error for
  // one that is whole but of another format.
  std::optional<Checkpoint> newest();
  // That of an iteration; throws Error.
  Checkpoint read(int64_t iteration) const;

  std::filesystem::path path_of(int64_t iteration) const;

 private:
  void write_now(const Checkpoint& checkpoint, const std::function<void()>& first);
  void replace(const Checkpoint& checkpoint);
  std::filesystem::path old_of(const std::filesystem::path& path) const;
  void take_back_replaced();
  void set_aside(const std::filesystem::path& path);
  void prune();

  std::filesystem::path folder_;
  KeepOptions keep_;
  std::map<int64_t, int64_t> best_of_;  // iteration of a stored checkpoint -> best_iteration it refers to
  std::future<void> writer_;
};

// Which of the stored checkpoints to keep: `best_of` as above. The newest is always among them.
std::vector<int64_t> kept_checkpoints(const std::map<int64_t, int64_t>& best_of, const KeepOptions& keep);

}  // namespace adasample
