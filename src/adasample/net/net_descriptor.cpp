// SPDX-License-Identifier: Apache-2.0
#include "adasample/net/net_descriptor.h"

#include <mutex>
#include <utility>
#include <vector>

#include "adasample/base/error.h"
#include "adasample/base/memory.h"
#include "adasample/base/parallel.h"
#include "adasample/model/halve.h"
#include "adasample/model/learned_metric.h"
#include "adasample/model/torch_kind.h"
#include "adasample/net/folded_net.h"

namespace adasample {
namespace {

class NetDescriptor : public Descriptor {
 public:
  NetDescriptor(const Weights& weights, std::string name, const at::Device& device)
      : name_(std::move(name)),
        device_(device),
        net_(make(weights, device)),
        folded_(*net_),
        metric_(make_learned_metric(weights)) {}

  std::string name() const override { return name_; }
  int dimension() const override { return net_->network().descriptor_size; }
  int patch_size() const override { return net_->network().input_size; }
  const PairMetric* metric() const override { return metric_.get(); }

  void describe(std::span<const uint8_t> patches, int64_t count, int size, std::span<float> out) override {
    const int input = net_->network().input_size;
    ADA_CHECK(size == input || size == 2 * input,
              "[net] patches are {0}x{0}, the network reads {1}x{1} (or {2}x{2}, halved)", size, input, 2 * input);
    const auto area = static_cast<size_t>(size) * static_cast<size_t>(size);
    ADA_ASSERT(patches.size() == static_cast<size_t>(count) * area);
    ADA_ASSERT(out.size() == static_cast<size_t>(count) * static_cast<size_t>(dimension()));
    std::vector<uint8_t> halved;
    if (size != input) {
      halved.resize(patches.size() / 4);
      for (size_t i = 0; i < static_cast<size_t>(count); ++i)
        halve_patch(&patches[i * area], &halved[i * area / 4], input);
      patches = halved;
    }
    const at::Tensor tensor = at::from_blob(const_cast<uint8_t*>(patches.data()), {count, input, input}, at::kByte);
    at::from_blob(out.data(), {count, dimension()}, at::kFloat).copy_(folded_.embed(tensor.to(device_)));
  }

 private:
  static Net make(const Weights& weights, const at::Device& device) {
    Net net(/*seed=*/0, /*dropout=*/0.0, weights.network());
    load_weights(*net, weights);
    net->eval();
    net->to(device);
    return net;
  }

  std::string name_;
  at::Device device_;
  Net net_;
  FoldedNet folded_;
  std::unique_ptr<PairMetric> metric_;
};

}  // namespace

std::unique_ptr<Descriptor> make_net_descriptor(const Weights& weights, std::string name, const std::string& device) {
  at::set_num_threads(thread_count());
  at::globalContext().setAllowTF32CuDNN(false);  // fp32 means fp32
  keep_freed_memory();
  return std::make_unique<NetDescriptor>(weights, std::move(name), at::Device(device));
}

void register_torch() {
  static std::once_flag once;
  std::call_once(once, [] {
    DescriptorKind kind = torch_kind();
    kind.problem = [](const std::string& device) {
      if (device != "cuda" || torch::cuda::is_available()) return std::string();
      return torch_gpu_problem(at::hasCUDA(), TORCH_VERSION);
    };
    kind.make = [](const Weights& weights, const std::string& label, const RunOptions& options) {
      return make_net_descriptor(weights, label, options.device);
    };
    register_descriptor(std::move(kind));
  });
}

Weights untrained_weights(uint64_t seed, const std::string& network) {
  return weights_of(*Net(seed, std::nullopt, find_network(network)));
}

}  // namespace adasample
