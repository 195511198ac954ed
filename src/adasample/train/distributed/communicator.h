// SPDX-License-Identifier: Apache-2.0
// The processes that train one network together, as each of them sees the others. Every rank makes the same calls in
// the same order; each call returns on all of them or throws LostRank within the limits of join.h. A run in one process
// has a Communicator too, SingleProcess: the trainer does not know the difference. Free of Torch; memory is the host's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "adasample/base/exception.h"

namespace adasample {

// The others cannot be reached, or one of them has failed: says which and why. Of the kind of what went wrong there.
class LostRank : public Error {
 public:
  using Error::Error;
};

class Communicator {
 public:
  virtual ~Communicator() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  bool alone() const { return size() == 1; }
  // "node7, process 4711"
  virtual std::string place_of(int rank) const = 0;

  // `bytes` bytes of each, in the order of ranks, to `all`: size() * bytes.
  virtual void all_gather(const void* mine, size_t bytes, void* all) = 0;
  // Sums over the ranks, in place: the same bits on each of them, in an order that is the transport's.
  virtual void add(double* values, size_t count) = 0;
  // The same in the background: `values` must stay, untouched, until wait() returns. Waits for all that were started.
  virtual void start_add(float* values, size_t count) = 0;
  virtual void wait() = 0;
  // Rank 0's bytes to all.
  virtual void broadcast(void* bytes, size_t count) = 0;

  // Seconds spent in these calls, waiting for others and for the network.
  virtual double waited() const = 0;
  // Bytes that this rank has handed in.
  virtual int64_t sent() const = 0;

  // Lets the others stop with this line instead of waiting for one that has failed. Returns when they know, or cannot.
  virtual void tell(const Error& error) = 0;
};

std::unique_ptr<Communicator> make_single_process();

// Texts of all ranks, in their order.
std::vector<std::string> gather_texts(Communicator& ranks, const std::string& mine);
// Rank 0's; what others pass is not looked at.
std::string broadcast_text(Communicator& ranks, std::string text);
inline void barrier(Communicator& ranks) {
  double nothing = 0;
  ranks.add(&nothing, 1);
}

}  // namespace adasample
