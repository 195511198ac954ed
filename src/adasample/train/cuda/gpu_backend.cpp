// SPDX-License-Identifier: Apache-2.0
// An iteration on the GPU: everything on one stream, nothing that waits for the host, recorded as a CUDA graph.
#include <ATen/cuda/CUDAEvent.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAGuard.h>

#include <cstdlib>
#include <optional>
#include <thread>

#include "adasample/base/error.h"
#include "adasample/base/log.h"
#include "adasample/gpu/embedder.h"
#include "adasample/gpu/pair_draw.h"
#include "adasample/gpu/step.h"
#include "adasample/net/folded_net.h"
#include "adasample/train/backend.h"
#include "adasample/train/cuda/gpu_loader.h"
#include "adasample/train/cuda/gpu_net.h"
#include "adasample/train/cuda/stream.h"
#include "adasample/train/optimiser/sgd.h"

namespace adasample {
namespace {

#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 1)
#define ADASAMPLE_CAPTURE_MODES 1
#else
#define ADASAMPLE_CAPTURE_MODES 0
#endif

constexpr int kEagerRuns = 3;  // before an iteration is recorded: libraries choose their algorithms in the first ones

// Decides before anything is allocated; says what is needed and what is there.
int64_t most_patch_bytes(const BackendParts& parts) {
  c10::cuda::CUDACachingAllocator::emptyCache();  // what an earlier run has freed is free
  int64_t stored = 0;
  for (const PatchStore* store : parts.data) stored += store->patch_count();
  const gpu::Device device = gpu::current_device();
  const auto usable = static_cast<int64_t>(0.95 * static_cast<double>(device.free_bytes));
  GpuMemory all = gpu_memory(parts.options, stored, stored);
  const int64_t rest = gpu_memory(parts.options, 0, stored).total();
  int64_t most = usable - rest;
  if (parts.options.gpu_gigabytes > 0) {
    most = std::min(most, static_cast<int64_t>(parts.options.gpu_gigabytes * (1 << 30)));
  }
  const bool resident = all.patches <= most;
  if (!resident) all = gpu_memory(parts.options, 0, stored);
  const double free_gib = static_cast<double>(device.free_bytes) / (1 << 30);
  ADA_CHECK(all.total() <= usable, "[train] {}: {:.1f} GiB free, needed {} - use a smaller --batch or --k", device.name,
            free_gib, all.text());
  log_info("{}: {:.1f} GiB free, needed {}{}", device.name, free_gib, all.text(),
           resident ? "" : "; the patches stay with the host and are sent over");
  return resident ? most : 0;
}

class GpuBackend : public Backend {
 public:
  explicit GpuBackend(const BackendParts& parts)
      : options_(prepared(parts.options)),
        stream_(c10::cuda::getStreamFromPool(/*isHighPriority=*/true)),
        net_(parts.net),
        sgd_(dynamic_cast<Sgd&>(parts.optimiser)),  // own_kernels_obstacle() has looked
        sampler_(parts.sampler),
        loader_(parts.data, loader_options(parts.options), most_patch_bytes(parts), parts.iteration),
        training_(parts.net, {element_type(), parts.options.dropout, parts.options.seed}, parts.iteration),
        finite_(at::zeros({}, parts.iteration.options().dtype(at::kBool))) {
    stream_.original_stream().synchronize();  // what was made before is there from here on
    set_arithmetic(options_);
    ADA_CHECK(ADASAMPLE_CAPTURE_MODES || loader_.resident(),
              "[train] patches that do not fit into the GPU's memory need LibTorch 2.1 or newer, this is {}",
              TORCH_VERSION);
    if (sixteen_bits() && gpu::Embedder::available()) {
      embedder_.emplace(options_.batch * options_.k);
    } else {
      folded_.emplace(net_, element_type());
    }
  }

  void prepare(int64_t t) override { loader_.prepare(t); }

  Batch load() override { return loader_.load(); }

  at::Tensor embed(const at::Tensor& patches) override {
    if (folded_) {
      folded_->refold(net_);
      return folded_->embed(patches);
    }
    std::array<gpu::FoldInput, gpu::kL2NetLayers> layers;
    const auto parameters = net_.named_parameters(), buffers = net_.named_buffers();
    for (size_t i = 0; i < layers.size(); ++i) {
      const ConvLayer& layer = net_.table().layers[i];
      layers[i] = {parameters[net_.table().conv_weight(layer)].data_ptr<float>(),
                   buffers[net_.table().running_mean(layer)].data_ptr<float>(),
                   buffers[net_.table().running_var(layer)].data_ptr<float>()};
    }
    const at::Tensor bytes = patches.contiguous();
    at::Tensor out = at::empty({bytes.size(0), net_.table().descriptor_size}, finite_.options().dtype(at::kFloat));
    embedder_->refold(layers, torch_stream());
    embedder_->embed(bytes.data_ptr<uint8_t>(), bytes.size(0), out.data_ptr<float>(), torch_stream());
    return out;
  }

  PairDraw draw(const SamplerInput& input) override {
    const SamplerPolicy& policy = sampler_.policy();
    if (!policy.needs_descriptors() || policy.informativeness != Informativeness::kDistance ||
        input.k > gpu::kMostCandidates) {
      return sampler_.draw(input);
    }
    const int64_t n = input.counts.size(0);
    PairDraw draw{at::empty_like(input.counts), at::empty_like(input.counts),
                  at::empty({n}, input.descriptors.options()),
                  at::empty({n, input.k}, input.descriptors.options().dtype(at::kDouble)),
                  at::empty({n, input.k}, input.descriptors.options())};
    const at::Tensor descriptors = input.descriptors.contiguous();
    gpu::draw_pairs(
        {n, input.k, descriptors.data_ptr<float>(), input.counts.data_ptr<int64_t>(), input.classes.data_ptr<int64_t>(),
         input.iteration.data_ptr<int64_t>(), input.exponent.data_ptr<double>(), sampler_.seed(),
         sampler_.metric() == Metric::kAngular},
        {draw.anchor.data_ptr<int64_t>(), draw.positive.data_ptr<int64_t>(), draw.distance.data_ptr<float>(),
         draw.distances.data_ptr<float>(), draw.probability.data_ptr<double>()},
        torch_stream());
    return draw;
  }

  at::Tensor forward(const at::Tensor& patches, const PairDraw& draw, Activations* activations) override {
    ADA_ASSERT(activations == nullptr && !draw.others.defined());  // make_backend() has looked
    const int64_t n = patches.size(0), k = patches.size(1), size = patches.size(2);
    const at::Tensor pairs = at::empty({2 * n, size, size}, patches.options().dtype(element_type()));
    gpu::gather_pairs(patches.data_ptr<uint8_t>(), n, k, draw.anchor.data_ptr<int64_t>(),
                      draw.positive.data_ptr<int64_t>(), element(), pairs.data_ptr(), torch_stream());
    if (!options_.separate_batch_norm) return training_.forward(pairs);
    return at::cat({training_.forward(pairs.narrow(0, 0, n)), training_.forward(pairs.narrow(0, n, n))});
  }

  at::Tensor step(const at::Tensor& learning_rate) override {
    std::vector<gpu::SgdArray> arrays;
    std::vector<at::Tensor> parameters = net_.parameters(), gradients;
    for (size_t i = 0; i < parameters.size(); ++i) {
      // As the weight lies in memory, so must its gradient.
      gradients.push_back(parameters[i].grad().contiguous(parameters[i].suggest_memory_format()));
      arrays.push_back({parameters[i].data_ptr<float>(), sgd_.buffers()[i].data_ptr<float>(),
                        gradients[i].data_ptr<float>(), parameters[i].numel()});
    }
    const SgdOptions& rule = sgd_.options();
    gpu::sgd_step(
        arrays.data(), static_cast<int>(arrays.size()),
        {static_cast<float>(rule.momentum), static_cast<float>(rule.dampening), static_cast<float>(rule.weight_decay)},
        learning_rate.data_ptr<double>(), sgd_.taken().data_ptr<bool>(), finite_.data_ptr<bool>(), torch_stream());
    for (at::Tensor& parameter : parameters) parameter.mutable_grad() = at::Tensor();
    training_.end(finite_);
    return finite_;
  }

  void run(Stage stage, const std::function<void()>& iteration) override {
    ADA_ASSERT(std::this_thread::get_id() == thread_);  // whose stream it is
    if (stage != stage_) {
      graph_.reset();  // and with it the memory of the stage before
      eager_ = 0;
      stage_ = stage;
    }
    if (!graph_) {
      if (eager_++ < kEagerRuns) return iteration();
      c10::cuda::CUDACachingAllocator::emptyCache();
      graph_ = std::make_unique<at::cuda::CUDAGraph>();
#if ADASAMPLE_CAPTURE_MODES
      graph_->capture_begin({0, 0}, cudaStreamCaptureModeThreadLocal);  // the loader's thread may go on
#else
      graph_->capture_begin();
#endif
      iteration();
      graph_->capture_end();
    }
    graph_->replay();
  }

  std::function<at::Tensor()> fetch(const at::Tensor& tensor) override {
    at::Tensor host = at::empty_like(tensor, tensor.options().device(at::kCPU).pinned_memory(true));
    host.copy_(tensor, /*non_blocking=*/true);
    auto copied = std::make_shared<at::cuda::CUDAEvent>();
    copied->record();
    return [host, copied] {
      copied->synchronize();
      return host;
    };
  }

  bool synchronous() const override { return false; }

 private:
  // cuBLAS reads this when it is first used.
  static const TrainOptions& prepared(const TrainOptions& options) {
    if (options.deterministic) setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8", /*overwrite=*/0);
    return options;
  }

  at::ScalarType element_type() const {
    return options_.precision == "bf16" ? at::kBFloat16 : options_.precision == "fp16" ? at::kHalf : at::kFloat;
  }
  gpu::Element element() const {
    return options_.precision == "bf16"   ? gpu::Element::kBfloat16
           : options_.precision == "fp16" ? gpu::Element::kHalf
                                          : gpu::Element::kFloat;
  }
  bool sixteen_bits() const { return options_.precision == "bf16" || options_.precision == "fp16"; }

  const TrainOptions& options_;
  c10::cuda::CUDAStreamGuard stream_;  // graphs are not recorded on the default stream
  NetImpl& net_;
  Sgd& sgd_;
  const Sampler& sampler_;
  GpuLoader loader_;
  GpuNet training_;
  std::optional<gpu::Embedder> embedder_;  // where the chip has it, else
  std::optional<FoldedNet> folded_;
  at::Tensor finite_;
  std::thread::id thread_ = std::this_thread::get_id();
  Stage stage_ = Stage::kWarmup;
  int eager_ = 0;
  std::unique_ptr<at::cuda::CUDAGraph> graph_;
};

}  // namespace

std::unique_ptr<Backend> make_gpu_backend(const BackendParts& parts) { return std::make_unique<GpuBackend>(parts); }

std::unique_ptr<Backend> make_backend(const BackendParts& parts) {
  if (parts.options.device != "cuda") return make_torch_backend(parts);
  std::string obstacle = own_kernels_obstacle(parts);
  if (parts.options.members > 2) obstacle = "own kernels learn from pairs only";
  if (!parts.alone()) obstacle = "own kernels learn in one process only";
  if (obstacle.empty()) return make_gpu_backend(parts);
  log_info("[train] {}; LibTorch learns on the GPU, in {}, without a recorded graph", obstacle,
           parts.options.precision == "fp32" ? "fp32" : "tf32");
  return make_torch_backend(parts);
}

}  // namespace adasample
