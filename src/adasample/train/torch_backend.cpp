// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <vector>

#include "adasample/base/log.h"
#include "adasample/base/parallel.h"
#include "adasample/base/random/rng.h"
#include "adasample/train/backend.h"
#include "adasample/train/cpu_net.h"
#include "adasample/train/embedding.h"

namespace adasample {
namespace {

// The patches chosen by slot (n) from (n, k, S, S): (n, S, S).
at::Tensor pick(const at::Tensor& patches, const at::Tensor& slot) {
  const int64_t n = patches.size(0), k = patches.size(1);
  return patches.flatten(0, 1).index_select(0, at::arange(n, slot.options()) * k + slot);
}

// Of several passes, one after the other.
Activations joined(const std::vector<Activations>& passes) {
  const auto all = [&](at::Tensor Activations::*member) {
    std::vector<at::Tensor> parts;
    for (const Activations& pass : passes) parts.push_back(pass.*member);
    return parts.front().defined() ? at::cat(parts) : at::Tensor();
  };
  return {all(&Activations::raw), all(&Activations::first), all(&Activations::last)};
}

class TorchBackend : public Backend {
 public:
  explicit TorchBackend(const BackendParts& parts)
      : options_(parts.options),
        device_(parts.options.device),
        share_(parts.share != nullptr && !parts.share->whole() ? parts.share : nullptr),
        loader_(parts.data, own_slots(loader_options(parts.options), share_)),
        net_(parts.net),
        embedding_(make_embedding(parts.options, parts.net)),
        optimiser_(parts.optimiser),
        sampler_(parts.sampler) {
    set_arithmetic(options_);
    if (share_ != nullptr) place_rows();
    if (options_.device != "cpu" || options_.training_engine != "simd") return;
    const std::string obstacle = own_kernels_obstacle(parts);
    if (obstacle.empty()) {
      cpu_net_.emplace(net_, options_.dropout, pass::machine_here(), thread_count());
    } else {
      log_info("[train] --training-engine simd: {}; LibTorch takes its place", obstacle);
    }
  }

  void prepare(int64_t t) override {
    // Dropout is the one draw that Torch makes; reseeded here, it too is a function of (seed, iteration).
    torch::manual_seed(RngKey(options_.seed, Draw::kDropout).at(static_cast<uint64_t>(t)).bits());
    batch_ = loader_.load(t);
  }

  Batch load() override {
    const auto there = [&](const at::Tensor& x) { return x.defined() ? x.to(device_) : x; };
    return {there(batch_.patches), there(batch_.counts), there(batch_.classes), there(batch_.levels),
            there(batch_.patch_numbers)};
  }

  at::Tensor embed(const at::Tensor& patches) override { return embedding_->embed(net_, patches); }

  at::Tensor embed_candidates(const Batch& batch) override { return embed_occupied(*embedding_, net_, batch); }

  PairDraw draw(const SamplerInput& input) override { return sampler_.draw(input); }

  at::Tensor forward(const at::Tensor& patches, const PairDraw& draw, Activations* activations) override {
    net_.train();
    before_.clear();
    for (const at::Tensor& buffer : net_.buffers()) before_.push_back(buffer.clone());
    std::vector<at::Tensor> members = {pick(patches, draw.anchor), pick(patches, draw.positive)};  // (n, S, S) each
    for (int64_t j = 0; draw.others.defined() && j < draw.others.size(1); ++j) {
      members.push_back(pick(patches, draw.others.select(1, j)));
    }
    if (!options_.separate_batch_norm) members = {at::cat(members)};
    if (order_.defined()) members = {members.front().index_select(0, order_)};
    std::vector<at::Tensor> rows;
    std::vector<Activations> seen(members.size());
    for (size_t i = 0; i < members.size(); ++i) {
      if (cpu_net_) {
        rows.push_back(share_ != nullptr ? cpu_net_->forward(members[i], part_) : cpu_net_->forward(members[i]));
      } else {
        rows.push_back(net_.forward(members[i], activations != nullptr ? &seen[i] : nullptr,
                                    share_ != nullptr ? &torch_part_ : nullptr));
      }
    }
    if (activations != nullptr) *activations = joined(seen);
    if (back_.defined()) return rows.front().index_select(0, back_);
    return rows.size() == 1 ? rows.front() : at::cat(rows);
  }

  at::Tensor step(const at::Tensor& learning_rate) override {
    if (share_ != nullptr && !cpu_net_) add_up_gradients();
    const at::Tensor stepped = optimiser_.step(learning_rate);
    torch::NoGradGuard no_grad;
    if (cpu_net_) {
      cpu_net_->end(stepped);
      return stepped;
    }
    const std::vector<at::Tensor> statistics = net_.buffers();
    for (size_t i = 0; i < statistics.size(); ++i) statistics[i].copy_(at::where(stepped, statistics[i], before_[i]));
    return stepped;
  }

  void run(Stage, const std::function<void()>& iteration) override { iteration(); }
  std::function<at::Tensor()> fetch(const at::Tensor& tensor) override {
    return [host = tensor.cpu()] { return host; };
  }
  bool synchronous() const override { return device_.is_cpu(); }

 private:
  static LoaderOptions own_slots(LoaderOptions options, const BatchShare* share) {
    if (share == nullptr) return options;
    options.first = share->first();
    options.count = share->count();
    return options;
  }

  // Which rows of the whole batch's passes this rank's are. Where shards are kept apart, the members of a shard follow
  // one another.
  void place_rows() {
    const int64_t passes = options_.separate_batch_norm ? options_.members : 1, members = options_.members / passes;
    const int64_t n = share_->batch(), slots = share_->shard_slots();
    std::vector<int64_t> rows, order(static_cast<size_t>(members * share_->count()));
    for (int64_t shard = 0; shard < share_->shards(); ++shard) {
      for (int64_t j = 0; j < members; ++j) {
        for (int64_t i = shard * slots; i < (shard + 1) * slots; ++i) {
          order[rows.size()] = j * share_->count() + i;
          rows.push_back(j * n + share_->first() + i);
        }
      }
    }
    if (members > 1 && share_->shards() > 1) {
      order_ = torch::tensor(order, at::kLong).to(device_);
      back_ = order_.argsort();
    }
    part_ = {share_, !options_.local_batch_norm, members * n, rows};
    torch_part_ = {members * n, rows, {}};
    if (options_.local_batch_norm) return;
    torch_part_.total = [this](const std::vector<double>& mine) { return share_->total(mine, 1); };
  }

  // As one array: a call a layer would wait for the others once a layer.
  void add_up_gradients() {
    torch::NoGradGuard no_grad;
    std::vector<at::Tensor> flat;
    for (const at::Tensor& parameter : net_.parameters()) flat.push_back(parameter.grad().flatten());
    const at::Tensor sum = at::cat(flat).to(at::kCPU, at::kFloat).contiguous();
    share_->start_total({sum.data_ptr<float>()}, static_cast<size_t>(sum.numel()));
    share_->finish();
    int64_t first = 0;
    for (const at::Tensor& parameter : net_.parameters()) {
      parameter.grad().copy_(sum.narrow(0, first, parameter.numel()).view(parameter.sizes()));
      first += parameter.numel();
    }
  }

  const TrainOptions& options_;
  at::Device device_;
  const BatchShare* share_;  // null: all of every batch
  BatchLoader loader_;
  NetImpl& net_;
  std::unique_ptr<Embedding> embedding_;
  Optimiser& optimiser_;
  const Sampler& sampler_;
  std::optional<CpuTrainingNet> cpu_net_;  // where own kernels train
  CpuTrainingNet::Part part_;              // of each pass, where there are others
  PartOfBatch torch_part_;
  at::Tensor order_, back_;  // rows of a pass from members one after the other, and the way back; undefined: the same
  Batch batch_;
  std::vector<at::Tensor> before_;  // running statistics, which the forward pass has changed already
};

}  // namespace

void set_arithmetic(const TrainOptions& options) {
  at::Context& torch = at::globalContext();
  torch.setAllowTF32CuBLAS(false);  // similarities and distances are fp32
  // Where own kernels do not serve, LibTorch's convolutions take tf32 for 16 bits; own kernels have none in fp32.
  torch.setAllowTF32CuDNN(options.precision != "fp32");
  torch.setBenchmarkCuDNN(options.device == "cuda" && !options.deterministic);
  torch.setDeterministicCuDNN(options.deterministic);
  // Sums over equal indices in a fixed order. What has no such way is only warned of: cumsum over a row of k numbers.
  torch.setDeterministicAlgorithms(options.deterministic, /*warn_only=*/true);
}

std::string own_kernels_obstacle(const TrainOptions& options, const Sampler& sampler, const Loss& loss) {
  if (options.network != l2net().name) return fmt::format("own kernels learn l2net only, not {}", options.network);
  if (sampler.policy().informativeness == Informativeness::kGradient) {
    return "own kernels do not measure the gradient of each example";
  }
  if (options.device != "cpu" && options.optimiser != "sgd") {
    return fmt::format("own kernels step by sgd only, not by {}", options.optimiser);
  }
  if (loss.wants_activations()) {
    return fmt::format("own kernels do not show activations, which the loss {} asks for", options.loss.name);
  }
  return "";
}

std::unique_ptr<Backend> make_torch_backend(const BackendParts& parts) { return std::make_unique<TorchBackend>(parts); }

}  // namespace adasample
