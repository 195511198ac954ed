// SPDX-License-Identifier: Apache-2.0
#include "adasample/train/distributed/batch_share.h"

#include "adasample/base/error.h"

namespace adasample {
namespace {

// Rows of all ranks from this rank's; the other ranks' are constants.
class GatherMembers : public torch::autograd::Function<GatherMembers> {
 public:
  static at::Tensor forward(torch::autograd::AutogradContext* context, const BatchShare* share, const at::Tensor& mine,
                            int64_t members) {
    context->saved_data["share"] = reinterpret_cast<int64_t>(share);
    context->saved_data["members"] = members;
    std::vector<int64_t> shape = mine.sizes().vec();
    shape[0] = share->count();
    shape.insert(shape.begin(), members);
    // By slot, so that ranks follow one another: (count, members, ..) -> (n, members, ..).
    const at::Tensor all = share->gather(mine.view(shape).transpose(0, 1).contiguous());
    return all.transpose(0, 1).contiguous().flatten(0, 1);
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    const auto* share = reinterpret_cast<const BatchShare*>(context->saved_data["share"].toInt());
    return {at::Tensor(), share->own_members(gradients[0], context->saved_data["members"].toInt()), at::Tensor()};
  }
};

}  // namespace

BatchShare::BatchShare(Communicator& ranks, int64_t batch, int64_t shards)
    : ranks_(&ranks), batch_(batch), count_(batch / ranks.size()), shards_(1), ordered_(shards > 0) {
  const int64_t size = ranks.size();
  ADA_USAGE(batch % size == 0, "batch = {}, must be a multiple of the {} ranks that share it", batch, size);
  ADA_USAGE(count_ >= 1, "batch = {}, must be at least the number of ranks, {}", batch, size);
  if (!ordered_) return;
  ADA_USAGE(shards % size == 0, "shards = {}, must be a multiple of the {} ranks", shards, size);
  ADA_USAGE(batch % shards == 0, "batch = {}, must be a multiple of the {} shards", batch, shards);
  shards_ = shards / size;
}

at::Tensor BatchShare::gather(const at::Tensor& mine) const {
  if (ranks_->alone()) return mine;
  const at::Tensor host = mine.detach().cpu().contiguous();
  std::vector<int64_t> shape = host.sizes().vec();
  ADA_ASSERT(shape.at(0) == count_);
  shape[0] = batch_;
  const at::Tensor all = at::empty(shape, host.options());
  ranks_->all_gather(host.data_ptr(), static_cast<size_t>(host.nbytes()), all.data_ptr());
  return all.to(mine.device());
}

at::Tensor BatchShare::gather_members(const at::Tensor& mine, int64_t members) const {
  if (ranks_->alone() || !mine.defined()) return mine;
  return GatherMembers::apply(this, mine, members);
}

at::Tensor BatchShare::own_members(const at::Tensor& all, int64_t members) const {
  if (ranks_->alone() || !all.defined()) return all;
  std::vector<int64_t> shape = all.sizes().vec();
  shape[0] = batch_;
  shape.insert(shape.begin(), members);
  return all.reshape(shape).narrow(1, first(), count_).flatten(0, 1).contiguous();
}

std::vector<double> BatchShare::total(const std::vector<double>& mine, size_t rows) const {
  const size_t count = mine.size() / rows;
  if (!ordered_) {
    ADA_ASSERT(rows == 1);
    std::vector<double> sums = mine;
    ranks_->add(sums.data(), sums.size());
    return sums;
  }
  ADA_ASSERT(rows == static_cast<size_t>(shards_));
  std::vector<double> all(mine.size() * static_cast<size_t>(ranks_->size())), sums(count, 0);
  ranks_->all_gather(mine.data(), mine.size() * sizeof(double), all.data());
  for (size_t i = 0; i < all.size(); ++i) sums[i % count] += all[i];
  return sums;
}

void BatchShare::start_total(const std::vector<float*>& rows, size_t count) const {
  if (!ordered_) {
    ADA_ASSERT(rows.size() == 1);
    ranks_->start_add(rows.front(), count);
    return;
  }
  ADA_ASSERT(rows.size() == static_cast<size_t>(shards_));
  const auto size = static_cast<size_t>(ranks_->size());
  std::vector<float> mine(rows.size() * count), all(mine.size() * size);
  for (size_t row = 0; row < rows.size(); ++row) std::copy_n(rows[row], count, mine.data() + row * count);
  ranks_->all_gather(mine.data(), mine.size() * sizeof(float), all.data());
  float* sums = rows.front();
  std::copy_n(all.data(), count, sums);
  for (size_t row = 1; row < size * rows.size(); ++row) {
    const float* from = all.data() + row * count;
    for (size_t i = 0; i < count; ++i) sums[i] += from[i];
  }
}

}  // namespace adasample
