// SPDX-License-Identifier: Apache-2.0
#include "adasample/engine/onednn_net.h"

#include <omp.h>

#include <algorithm>
#include <cstring>
#include <dnnl.hpp>

#include "adasample/base/error.h"
#include "adasample/engine/onednn/first_conv.h"
#include "adasample/engine/onednn/quantise.h"

namespace adasample {
namespace {

using dnnl::memory;
using Tag = memory::format_tag;
using Type = memory::data_type;

const dnnl::engine& cpu() {
  static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

bool machine_has(dnnl::cpu_isa isa) {
  return (static_cast<int>(dnnl::get_effective_cpu_isa()) & static_cast<int>(isa)) == static_cast<int>(isa);
}

// oneDNN's own choice, so that its switch for older machines (ONEDNN_MAX_CPU_ISA) holds for the first layer too.
FirstConv::Machine first_machine() {
  return machine_has(dnnl::cpu_isa::avx512_core) ? FirstConv::Machine::kAvx512
         : machine_has(dnnl::cpu_isa::avx2)      ? FirstConv::Machine::kAvx2
                                                 : FirstConv::Machine::kAny;
}

// oneDNN takes its thread count from OpenMP's setting of the calling thread, which is somebody else's before and after.
class OmpThreads {
 public:
  explicit OmpThreads(int threads) : before_(omp_get_max_threads()) { omp_set_num_threads(threads); }
  ~OmpThreads() { omp_set_num_threads(before_); }
  OmpThreads(const OmpThreads&) = delete;
  OmpThreads& operator=(const OmpThreads&) = delete;

 private:
  int before_;
};

// A convolution with its ReLU, or the last one, which covers its whole input, as a product.
struct Step {
  dnnl::primitive primitive;
  memory::desc source, result, scratch;
  memory weight, bias;
  dnnl::reorder packing = {};  // of (out, in, k, k) into the layout that the primitive has chosen
  memory multiplier = {};      // (1, out, 1, 1), int8 only
};

template <typename Primitive>
Step make_step(const typename Primitive::desc& operation, const dnnl::post_ops& after) {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  attributes.set_post_ops(after);
  const typename Primitive::primitive_desc d(operation, attributes, cpu());
  return {Primitive(d),
          d.src_desc(),
          d.dst_desc(),
          d.scratchpad_desc(),
          memory(d.weights_desc(), cpu()),
          memory(d.bias_desc(), cpu())};
}

// Many patches in fp32 gain a fifth from Winograd's convolution, which wants blocks of 16 channels and AVX-512.
bool in_blocks(Arithmetic arithmetic, int64_t batch) {
  return arithmetic == Arithmetic::kFp32 && batch >= 16 && machine_has(dnnl::cpu_isa::avx512_core);
}

// Input of `width` -> result of `out_width`; bytes in where `source` says so, bytes out likewise.
Step make_step(const ConvLayer& s, int64_t batch, int width, int out_width, Type source, Type result, Tag layout) {
  const auto kind = dnnl::prop_kind::forward_inference;
  const bool bytes = source == Type::u8;
  const memory::desc from({batch, s.in_channels, width, width}, source, layout);
  const memory::desc weight({s.out_channels, s.in_channels, s.kernel, s.kernel}, bytes ? Type::s8 : Type::f32,
                            Tag::any);
  const memory::desc bias({s.out_channels}, Type::f32, Tag::a);
  const memory::desc multiplier({1, s.out_channels, 1, 1}, Type::f32, Tag::nchw);
  dnnl::post_ops after;
  if (bytes) after.append_binary(dnnl::algorithm::binary_mul, multiplier);  // changes with the weights; a scale cannot
  if (s.relu) after.append_eltwise(1, dnnl::algorithm::eltwise_relu, 0, 0);
  if (out_width == 1) {
    return make_step<dnnl::inner_product_forward>(
        {kind, from, weight, bias, memory::desc({batch, s.out_channels}, result, Tag::nc)}, after);
  }
  Step step = make_step<dnnl::convolution_forward>(
      {kind,
       layout == Tag::nhwc ? dnnl::algorithm::convolution_direct : dnnl::algorithm::convolution_auto,
       from,
       weight,
       bias,
       {{batch, s.out_channels, out_width, out_width}, result, layout},
       {s.stride, s.stride},
       {s.padding, s.padding},
       {s.padding, s.padding}},
      after);
  if (bytes) step.multiplier = memory(multiplier, cpu());
  return step;
}

void fill(const memory& to, const std::vector<float>& from) {
  std::memcpy(to.get_data_handle(), from.data(), from.size() * sizeof(float));
}

memory::desc plain_weight(const ConvLayer& s, bool bytes) {
  return {{s.out_channels, s.in_channels, s.kernel, s.kernel}, bytes ? Type::s8 : Type::f32, Tag::oihw};
}

void pack(const ConvLayer& s, const void* weight, Step& step, dnnl::stream& stream) {
  memory plain(plain_weight(s, static_cast<bool>(step.multiplier)), cpu(), const_cast<void*>(weight));
  step.packing.execute(stream, plain, step.weight);
  stream.wait();
}

}  // namespace

struct OnednnNet::State {
  const LayerTable* table;
  Arithmetic arithmetic;
  int64_t batch;
  int threads;
  FirstConv first;
  FirstConv::Layout first_layout;
  std::vector<Step> steps;  // of the layers after it
  dnnl::stream stream{cpu()};
};

struct OnednnNet::Work : Workspace {
  dnnl::stream stream{cpu()};
  memory input;
  std::vector<memory> results, scratch;
  std::vector<std::vector<dnnl_exec_arg_t>> arguments;  // of each step: made once, so that a call makes nothing
};

const char* OnednnNet::problem(Arithmetic arithmetic) {
  const bool runs = arithmetic == Arithmetic::kFp32 || machine_has(dnnl::cpu_isa::avx512_core_vnni);
  return runs ? nullptr : "onednn-int8 needs a CPU with AVX-512 and VNNI";
}

OnednnNet::OnednnNet(const LayerTable& table, Arithmetic arithmetic, int64_t batch, int threads)
    : state_(std::make_unique<State>(
          State{&table,
                arithmetic,
                batch,
                threads,
                FirstConv(table, first_machine()),
                in_blocks(arithmetic, batch) ? FirstConv::Layout::kBlocks : FirstConv::Layout::kChannelsLast,
                {}})) {
  ADA_ASSERT(batch >= 1 && threads >= 1 && problem(arithmetic) == nullptr);
  const OmpThreads some(threads);  // primitives are made for a number of threads
  const bool int8 = arithmetic == Arithmetic::kInt8;
  const size_t last = table.layers.size() - 1;
  int width = table.input_size;
  for (size_t i = 1; i <= last; ++i) {
    const ConvLayer& s = table.layers[i];
    const int out_width = (width + 2 * s.padding - s.kernel) / s.stride + 1;
    state_->steps.push_back(make_step(s, batch, width, out_width, int8 && i < last ? Type::u8 : Type::f32,
                                      int8 && i + 1 < last ? Type::u8 : Type::f32,
                                      in_blocks(arithmetic, batch) ? Tag::nChw16c : Tag::nhwc));
    Step& step = state_->steps.back();
    const memory plain(plain_weight(s, static_cast<bool>(step.multiplier)), cpu(), nullptr);
    step.packing = dnnl::reorder(dnnl::reorder::primitive_desc(plain, step.weight));
    width = out_width;
  }
}

OnednnNet::~OnednnNet() = default;

std::string OnednnNet::refold(const std::vector<FoldedLayer>& layers, const Calibration& calibration) {
  ADA_ASSERT(layers.size() == state_->steps.size() + 1 && calibration.ranges.size() + 2 == layers.size());
  const OmpThreads one(1);
  const bool int8 = state_->arithmetic == Arithmetic::kInt8;
  // Of the numbers that layer i leaves.
  const auto step_after = [&](size_t i) { return i < calibration.ranges.size() ? calibration.ranges[i] / 255 : 1; };
  state_->first.refold(layers.front(), int8 ? step_after(0) : 1);
  for (size_t i = 1; i < layers.size(); ++i) {
    Step& step = state_->steps[i - 1];
    if (step.multiplier) {
      const QuantisedLayer q = quantise(layers[i], step_after(i - 1), step_after(i));
      pack(layers[i].shape, q.weight.data(), step, state_->stream);
      fill(step.bias, q.bias);
      fill(step.multiplier, q.multiplier);
    } else {
      pack(layers[i].shape, layers[i].weight.data(), step, state_->stream);
      fill(step.bias, layers[i].bias);
    }
  }
  return "";
}

std::unique_ptr<CpuNet::Workspace> OnednnNet::make_workspace() const {
  auto work = std::make_unique<Work>();
  work->input = memory(state_->steps.front().source, cpu());
  std::memset(work->input.get_data_handle(), 0, work->input.get_desc().get_size());  // a batch may not be full
  memory source = work->input;
  for (const Step& step : state_->steps) {
    work->results.emplace_back(step.result, cpu());
    work->scratch.emplace_back(step.scratch, cpu());
    std::vector<dnnl_exec_arg_t>& arguments = work->arguments.emplace_back();
    arguments = {{DNNL_ARG_SRC, source.get()},
                 {DNNL_ARG_WEIGHTS, step.weight.get()},
                 {DNNL_ARG_BIAS, step.bias.get()},
                 {DNNL_ARG_DST, work->results.back().get()},
                 {DNNL_ARG_SCRATCHPAD, work->scratch.back().get()}};
    if (step.multiplier) {
      arguments.push_back({DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1, step.multiplier.get()});
    }
    source = work->results.back();
  }
  return work;
}

std::span<const float> OnednnNet::activations(size_t index, const Workspace& workspace) const {
  const auto& work = static_cast<const Work&>(workspace);
  const memory& m = index == 0 ? work.input : work.results.at(index - 1);
  return {static_cast<const float*>(m.get_data_handle()), m.get_desc().get_size() / sizeof(float)};
}

void OnednnNet::describe(const uint8_t* patches, int64_t count, float* descriptors, Workspace& workspace) const {
  ADA_ASSERT(count >= 1 && count <= state_->batch);
  const OmpThreads some(state_->threads);
  const LayerTable& table = *state_->table;
  const int pixels = table.input_size * table.input_size, dimension = table.descriptor_size;
  auto& work = static_cast<Work&>(workspace);
  const int64_t numbers = int64_t{pixels} * table.layers.front().out_channels;
  for (int64_t i = 0; i < count; ++i) {
    const uint8_t* patch = patches + i * pixels;
    if (state_->arithmetic == Arithmetic::kInt8) {
      state_->first.run(patch, static_cast<uint8_t*>(work.input.get_data_handle()) + i * numbers);
    } else {
      state_->first.run(patch, static_cast<float*>(work.input.get_data_handle()) + i * numbers, state_->first_layout);
    }
  }
  for (size_t i = 0; i < state_->steps.size(); ++i) {
    dnnl::error::wrap_c_api(
        dnnl_primitive_execute(state_->steps[i].primitive.get(), work.stream.get(),
                               static_cast<int>(work.arguments[i].size()), work.arguments[i].data()),
        "oneDNN did not run a layer");
  }
  work.stream.wait();
  const auto* result = static_cast<const float*>(work.results.back().get_data_handle());
  std::copy(result, result + count * dimension, descriptors);
  for (int64_t i = 0; i < count; ++i)
    normalise_descriptor(descriptors + i * dimension, dimension, table.output_epsilon);
}

}  // namespace adasample
