// SPDX-License-Identifier: Apache-2.0
// Who is still there: every rank writes a sign of life to the store now and then, from a thread of its own; rank 0
// looks at those of all, the others at rank 0's. Who is silent for too long, or does not come to a step that others are
// at, is named in the store, where every other rank finds the line. So a rank that was killed, stopped or cut off ends
// the run of all the others, within Limits.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "adasample/base/exception.h"

namespace adasample {

// A store that all ranks see, as its watcher needs it. Calls may block while the store does not answer, and throw.
class Notes {
 public:
  virtual ~Notes() = default;
  virtual void set(const std::string& key, const std::string& value) = 0;
  virtual std::optional<std::string> get(const std::string& key) = 0;  // none: not set yet
};

// Why a run cannot go on.
struct RankFailure {
  Error::Kind kind = Error::Kind::kWork;
  std::string text;

  std::string encoded() const;
  static RankFailure decoded(const std::string& text);
};

struct WatchLimits {
  double silence = 60;  // seconds without a sign of life
  double step = 1800;   // seconds that a rank may keep others waiting at a step
  // Between two signs of life.
  double interval() const { return silence / 10 < 1 ? silence / 10 : 1; }
  // Silence that is enough once a connection has broken: somebody is gone.
  double hurt() const { return silence < 5 ? silence : 5; }
};

class RankWatch {
 public:
  // places: of every rank, as in Communicator::place_of. `store`: "the store of rank 0 at host:port".
  RankWatch(std::unique_ptr<Notes> notes, int rank, std::vector<std::string> places, std::string store,
            WatchLimits limits);
  ~RankWatch();  // does not wait for a store that does not answer

  // The step that this rank has come to, counted.
  void at_step(int64_t step);
  // None: all are well.
  std::optional<RankFailure> verdict() const;
  // A connection broke: waits until it is known who is gone, or for as long as that may take.
  RankFailure wait_for_verdict(const std::string& otherwise);
  // For the others, unless there is one already.
  void publish(const RankFailure& verdict);
  // This rank goes in good order. Rank 0, whose store it may be, waits until the others who can have said so too.
  void leave();

 private:
  struct State;
  std::shared_ptr<State> state_;  // the thread's too, which may outlive this object
};

}  // namespace adasample
