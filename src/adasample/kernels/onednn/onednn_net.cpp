// SPDX-License-Identifier: Apache-2.0
#include "adasample/kernels/onednn_net.h"

#include <omp.h>

#include <algorithm>
#include <cstring>
#include <dnnl.hpp>
#include <unordered_map>

#include "adasample/base/error.h"
#include "adasample/kernels/first_conv.h"

namespace adasample {
namespace {

using dnnl::memory;
using Tag = memory::format_tag;
using Type = memory::data_type;

const dnnl::engine& cpu() {
  static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

// A convolution with its ReLU, or the last one, which covers its whole input, as a product.
struct Step {
  dnnl::primitive primitive;
  memory::desc source, result, scratch;
  memory weight, bias;
};

dnnl::primitive_attr attributes_of(const ConvLayer& s) {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  if (s.relu) {
    dnnl::post_ops after;
    after.append_eltwise(1, dnnl::algorithm::eltwise_relu, 0, 0);
    attributes.set_post_ops(after);
  }
  return attributes;
}

template <typename Description, typename Primitive>
Step step_of(const Description& d) {
  return {Primitive(d),
          d.src_desc(),
          d.dst_desc(),
          d.scratchpad_desc(),
          memory(d.weights_desc(), cpu()),
          memory(d.bias_desc(), cpu())};
}

Step make_step(const ConvLayer& s, int64_t batch, int width, int out_width) {
  const auto kind = dnnl::prop_kind::forward_inference;
  const memory::desc source({batch, s.in_channels, width, width}, Type::f32, Tag::nChw16c);
  const memory::desc weight({s.out_channels, s.in_channels, s.kernel, s.kernel}, Type::f32, Tag::any);
  const memory::desc bias({s.out_channels}, Type::f32, Tag::a);
  if (out_width == 1) {
    const memory::desc result({batch, s.out_channels}, Type::f32, Tag::nc);
    using Product = dnnl::inner_product_forward;
    return step_of<Product::primitive_desc, Product>({{kind, source, weight, bias, result}, attributes_of(s), cpu()});
  }
  const memory::desc result({batch, s.out_channels, out_width, out_width}, Type::f32, Tag::nChw16c);
  using Convolution = dnnl::convolution_forward;
  return step_of<Convolution::primitive_desc, Convolution>({{kind,
                                                             dnnl::algorithm::convolution_auto,
                                                             source,
                                                             weight,
                                                             bias,
                                                             result,
                                                             {s.stride, s.stride},
                                                             {s.padding, s.padding},
                                                             {s.padding, s.padding}},
                                                            attributes_of(s),
                                                            cpu()});
}

}  // namespace

struct OnednnNet::State {
  const LayerTable* table;
  int64_t batch;
  FirstConv first;
  std::vector<Step> steps;  // of the layers after it
};

struct OnednnNet::Workspace::State {
  dnnl::stream stream{cpu()};
  memory input;
  std::vector<std::unordered_map<int, memory>> arguments;
};

bool OnednnNet::available() { return true; }

OnednnNet::OnednnNet(const std::vector<FoldedLayer>& layers, const LayerTable& table, int64_t batch)
    : state_(std::make_unique<State>(State{&table, batch, FirstConv(layers.front(), table), {}})) {
  ADA_ASSERT(batch >= 1);
  int width = table.input_size;
  for (size_t i = 1; i < layers.size(); ++i) {
    const ConvLayer& s = layers[i].shape;
    const int out_width = (width + 2 * s.padding - s.kernel) / s.stride + 1;
    state_->steps.push_back(make_step(s, batch, width, out_width));
    width = out_width;
  }
  refold(layers);
}

OnednnNet::~OnednnNet() = default;

int64_t OnednnNet::batch() const { return state_->batch; }

void OnednnNet::refold(const std::vector<FoldedLayer>& layers) {
  ADA_ASSERT(layers.size() == state_->steps.size() + 1);
  state_->first.refold(layers.front());
  omp_set_num_threads(1);
  dnnl::stream stream(cpu());
  for (size_t i = 1; i < layers.size(); ++i) {
    const FoldedLayer& layer = layers[i];
    const ConvLayer& s = layer.shape;
    memory plain({{s.out_channels, s.in_channels, s.kernel, s.kernel}, Type::f32, Tag::oihw}, cpu(),
                 const_cast<float*>(layer.weight.data()));
    Step& step = state_->steps[i - 1];
    dnnl::reorder(plain, step.weight).execute(stream, plain, step.weight);
    std::memcpy(step.bias.get_data_handle(), layer.bias.data(), layer.bias.size() * sizeof(float));
  }
  stream.wait();
}

OnednnNet::Workspace::Workspace(const OnednnNet& net) : state_(std::make_unique<State>()) {
  const std::vector<Step>& steps = net.state_->steps;
  memory source(steps.front().source, cpu());
  state_->input = source;
  for (const Step& step : steps) {
    memory result(step.result, cpu()), scratch(step.scratch, cpu());
    state_->arguments.push_back({{DNNL_ARG_SRC, source},
                                 {DNNL_ARG_WEIGHTS, step.weight},
                                 {DNNL_ARG_BIAS, step.bias},
                                 {DNNL_ARG_DST, result},
                                 {DNNL_ARG_SCRATCHPAD, scratch}});
    source = result;
  }
}

OnednnNet::Workspace::~Workspace() = default;

void OnednnNet::describe(const uint8_t* patches, int64_t count, float* descriptors, Workspace& workspace) const {
  ADA_ASSERT(count >= 1 && count <= state_->batch);
  omp_set_num_threads(1);  // of this thread
  const LayerTable& table = *state_->table;
  const int pixels = table.input_size * table.input_size, dimension = table.descriptor_size;
  auto* input = static_cast<float*>(workspace.state_->input.get_data_handle());
  for (int64_t i = 0; i < count; ++i) {
    state_->first.run(patches + i * pixels, input + i * pixels * table.layers.front().out_channels);
  }
  for (size_t i = 0; i < state_->steps.size(); ++i) {
    state_->steps[i].primitive.execute(workspace.state_->stream, workspace.state_->arguments[i]);
  }
  workspace.state_->stream.wait();
  const auto* result = static_cast<const float*>(workspace.state_->arguments.back().at(DNNL_ARG_DST).get_data_handle());
  std::copy(result, result + count * dimension, descriptors);
  for (int64_t i = 0; i < count; ++i)
    normalise_descriptor(descriptors + i * dimension, dimension, table.output_epsilon);
}

}  // namespace adasample
