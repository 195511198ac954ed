// SPDX-License-Identifier: Apache-2.0
// A rank's share of a batch of n slots: rank r of W has [r n/W, (r+1) n/W). What is needed of the whole batch is
// gathered, in the order of slots; what is summed over it, is summed over all ranks. With --shards S every rank works
// through its S/W shards one by one and sums are taken in the order of shards: the same bits whatever W is, as long as
// it divides S.
#pragma once

#include <torch/torch.h>

#include <vector>

#include "adasample/train/distributed/communicator.h"

namespace adasample {

class BatchShare {
 public:
  // shards: 0 for one a rank, and sums in whatever order is fastest. Throws a usage Error where these do not divide.
  BatchShare(Communicator& ranks, int64_t batch, int64_t shards);

  Communicator& ranks() const { return *ranks_; }
  bool whole() const { return ranks_->alone() && !ordered_; }
  bool ordered() const { return ordered_; }
  int64_t batch() const { return batch_; }
  int64_t first() const { return count_ * ranks_->rank(); }  // slot
  int64_t count() const { return count_; }                   // slots here
  int64_t shards() const { return shards_; }                 // here
  int64_t shard_slots() const { return count_ / shards_; }

  // (count, ..) of each rank -> (n, ..) on all of them. No gradient.
  at::Tensor gather(const at::Tensor& mine) const;
  // (members * count, ..) -> (members * n, ..), member by member. The gradient of what is gathered goes back to this
  // rank's rows, and to those alone: where every rank computes the same function of all rows, the ranks' gradients of
  // the weights add up to that function's.
  at::Tensor gather_members(const at::Tensor& mine, int64_t members) const;
  // (members * n, ..) -> this rank's (members * count, ..).
  at::Tensor own_members(const at::Tensor& all, int64_t members) const;

  // (rows, count) -> (count): sums over all rows of all ranks. Each rank has one row, or one a shard.
  std::vector<double> total(const std::vector<double>& mine, size_t rows) const;
  // Adds up what every rank has of one gradient, given in rows likewise; the sum is in the first. In the background
  // unless it is ordered: finish() waits.
  void start_total(const std::vector<float*>& rows, size_t count) const;
  void finish() const { ranks_->wait(); }

 private:
  Communicator* ranks_;
  int64_t batch_, count_, shards_;
  bool ordered_;
};

}  // namespace adasample
